import type { Config } from '../config.ts'
import { isDamaged, type Projects } from '../indexer/projects.ts'
import { createCallbacks, type Callbacks as Outbound } from '../outbound/callbacks.ts'
import { createCallbackChoice, type CallbackChoice } from '../pipelines/callback/callback-choice.ts'
import type { Store } from '../vecstore/store.ts'
import { cleanDelivery } from './without-secrets.ts'

/** Checks callback URLs and posts how a job ended. */
export interface Callbacks {
  deliver: Outbound['deliver']
  choice: CallbackChoice
}

/** Says in each message where its job is, when others can look there. */
function withLink(deliver: Outbound['deliver'], publicUrl: string | null): Outbound['deliver'] {
  if (publicUrl === null) return deliver
  return callback => {
    const message = JSON.parse(callback.body) as object
    return deliver({ ...callback, body: JSON.stringify({ ...message, url: `${publicUrl}/jobs/${callback.id}` }) })
  }
}

/** Callbacks, without secrets and signed with the secret for CI; without one they are refused. */
export function createCallbackService(
  { webhookKeys, allowPrivateHosts, publicUrl }: Pick<Config, 'webhookKeys' | 'allowPrivateHosts' | 'publicUrl'>,
  { store, projects }: { store: Store; projects: Projects },
): Callbacks {
  const { check, deliver } = createCallbacks({ keys: webhookKeys.get('ci') ?? [], allowPrivateHosts })
  const choice = createCallbackChoice({
    checkUrl: check,
    canSign: webhookKeys.has('ci'),
    async defaultOf(name) {
      if ((await store.findProject(name)) === null) return null
      try {
        return (await projects.settings(name)).callbackUrl
      } catch (error) {
        if (isDamaged(error)) return null // with its settings it is lost, and POST /clone must be able to mend them
        throw error
      }
    },
  })
  return { deliver: withLink(cleanDelivery(deliver), publicUrl), choice }
}
