import { FaultlineError } from '../../core/errors.ts'

/** What choosing an address needs. */
interface CallbackChoiceDeps {
  /** @throws {FaultlineError} VALIDATION_FAILED, ADDRESS_REFUSED */
  checkUrl: (url: string, field?: string) => void
  /** Whether there is a secret to sign with. */
  canSign: boolean
  /** What the settings of a project say; null for one that does not exist yet. */
  defaultOf: (projectName: string) => Promise<string | null>
}

/** Checks and chooses the addresses that results are posted to. */
export type CallbackChoice = ReturnType<typeof createCallbackChoice>

/** Where the result of a new job is to be posted. */
export function createCallbackChoice({ checkUrl, canSign, defaultOf }: CallbackChoiceDeps) {
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

    /** The field of a request's body, or else the default of its project; nothing when there is neither. */
    async of({
      callback_url: given,
      project_name: name,
    }: {
      callback_url?: string
      project_name: string
    }): Promise<{ callback_url?: string }> {
      const url = given ?? (await defaultOf(name))
      return url === null ? {} : { callback_url: url }
    },
  }
}
