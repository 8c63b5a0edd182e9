import type { Config } from '../config.ts'
import type { NotifyEvent } from '../contract/primitives.ts'
import type { ProjectSettings } from '../core/project.ts'
import { RecentlyUsed } from '../core/recently-used.ts'
import { isDamaged, type Projects } from '../indexer/projects.ts'
import { createCallbacks, type Callbacks as Outbound } from '../outbound/callbacks.ts'
import { createCallbackChoice, type CallbackChoice } from '../pipelines/callback/callback-choice.ts'
import { PROJECT_FILE, readProjectFile } from '../pipelines/environment/project-file.ts'
import type { Git } from './git.ts'
import type { Store } from '../vecstore/store.ts'
import { cleanDelivery } from './without-secrets.ts'

/** Checks callback URLs and posts what happens to jobs. */
export interface Callbacks {
  deliver: Outbound['deliver']
  choice: CallbackChoice
}

/** What callbacks are made of. */
interface CallbackDeps {
  store: Pick<Store, 'findProject'>
  projects: Pick<Projects, 'settings' | 'sourceOf'>
  git: Pick<Git, 'readBytes'>
}

/** Commits whose files are remembered. */
const MAX_FILES = 200

/** Says in each message where its job is, when others can look there. */
function withLink(deliver: Outbound['deliver'], publicUrl: string | null): Outbound['deliver'] {
  if (publicUrl === null) return deliver
  return callback => {
    const message = JSON.parse(callback.body) as { id?: string; job_id?: string }
    const job = message.job_id ?? message.id ?? callback.id
    return deliver({ ...callback, body: JSON.stringify({ ...message, url: `${publicUrl}/jobs/${job}` }) })
  }
}

/** Reads when the jobs of a project notify by its own file, at the commit that is indexed. */
function createNotifyInFile({ projects, git }: Pick<CallbackDeps, 'projects' | 'git'>) {
  const known = new RecentlyUsed<string, Promise<NotifyEvent[] | null>>(MAX_FILES, () => 1)

  async function read(at: { repository: string; commit: string }): Promise<NotifyEvent[] | null> {
    const bytes = await git.readBytes({ ...at, path: PROJECT_FILE })
    if (bytes === null) return null
    return readProjectFile(Buffer.from(bytes).toString()).features.notify ?? null
  }

  return async (name: string, repository: string | undefined): Promise<NotifyEvent[] | null> => {
    try {
      const { repository: clone, commit } = await projects.sourceOf(name, repository)
      const key = `${clone} ${commit}`
      const found = known.get(key, () => read({ repository: clone, commit }))
      found.catch(() => known.delete(key)) // the next request looks again
      return await found
    } catch {
      return null // a project without an index or a clone that is gone: POST /clone must be able to mend them
    }
  }
}

/** Callbacks, without secrets and signed with the secret for CI; without one they are refused. */
export function createCallbackService(
  config: Pick<Config, 'webhookKeys' | 'allowPrivateHosts' | 'publicUrl' | 'telegram'>,
  { store, projects, git }: CallbackDeps,
): Callbacks {
  const { webhookKeys, allowPrivateHosts, publicUrl, telegram } = config
  const { check, deliver } = createCallbacks({ keys: webhookKeys.get('ci') ?? [], allowPrivateHosts })
  const notifyInFile = createNotifyInFile({ projects, git })

  /** Null for a project that does not exist yet. */
  async function settingsOf(name: string): Promise<Pick<ProjectSettings, 'callbackUrl' | 'notify'> | null> {
    if ((await store.findProject(name)) === null) return null
    try {
      return await projects.settings(name)
    } catch (error) {
      if (isDamaged(error)) return null // with its settings it is lost, and POST /clone must be able to mend them
      throw error
    }
  }

  const choice = createCallbackChoice({
    checkUrl: check,
    canSign: webhookKeys.has('ci'),
    defaultOf: async name => (await settingsOf(name))?.callbackUrl ?? null,
    async notifyOf(name, { repository, hasUrl }) {
      const settings = await settingsOf(name)
      if (settings === null || settings.notify !== null) return settings?.notify ?? null
      return hasUrl || telegram !== null ? notifyInFile(name, repository) : null // a clone is not read for nobody
    },
  })
  return { deliver: withLink(cleanDelivery(deliver), publicUrl), choice }
}
