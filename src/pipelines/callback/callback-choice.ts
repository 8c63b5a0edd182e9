import type { NotifyEvent } from '../../contract/primitives.ts'
import { FaultlineError } from '../../core/errors.ts'

/** What choosing an address needs. */
interface CallbackChoiceDeps {
  /** @throws {FaultlineError} VALIDATION_FAILED, ADDRESS_REFUSED */
  checkUrl: (url: string, field?: string) => void
  /** Whether there is a secret to sign with. */
  canSign: boolean
  /** What the settings of a project say; null for one that does not exist yet. */
  defaultOf: (projectName: string) => Promise<string | null>
  /**
   * When the jobs of a project notify, by its settings and then its file; null where neither says anything, or
   * nothing could hear of it.
   */
  notifyOf: (projectName: string, job: { repository?: string; hasUrl: boolean }) => Promise<NotifyEvent[] | null>
}

/** What a body says of it. */
interface CallbackFields {
  callback_url?: string
  notify?: NotifyEvent[]
  project_name: string
  repository?: string
}

type Chosen = Pick<CallbackFields, 'callback_url' | 'notify'>

/** Checks and chooses the addresses that results are posted to. */
export type CallbackChoice = ReturnType<typeof createCallbackChoice>

/** Where the result of a new job is to be posted, and when it notifies besides. */
export function createCallbackChoice({ checkUrl, canSign, defaultOf, notifyOf }: CallbackChoiceDeps) {
  return {
    /**
     * Refuses an address that nothing could be sent to, before anything relies on it.
     *
     * @throws {FaultlineError} VALIDATION_FAILED, ADDRESS_REFUSED, WEBHOOK_NOT_CONFIGURED
     */
    check(url: string | null | undefined, field = 'callback_url'): void {
      if (url === undefined || url === null) return
      checkUrl(url, field)
      if (!canSign) {
        throw new FaultlineError(
          'WEBHOOK_NOT_CONFIGURED',
          `This server has no secret to sign what it posts to ${field}.`,
          'Set WEBHOOK_SECRETS=ci=SECRET on the server.',
        )
      }
    },

    /** The fields of a request's body, or else the defaults of its project; nothing when there are neither. */
    async of({ callback_url: given, notify: asked, project_name: name, repository }: CallbackFields): Promise<Chosen> {
      const url = given ?? (await defaultOf(name))
      const notify = asked ?? (await notifyOf(name, { repository, hasUrl: url !== null }))
      return { ...(url === null ? {} : { callback_url: url }), ...(notify === null ? {} : { notify }) }
    },
  }
}
