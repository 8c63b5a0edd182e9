import { PUSH_PROVIDERS } from '../core/push-signature.ts'
import type { Environment } from './environment.ts'
import { llmEndpoint, llmGap } from './model-endpoints.ts'
import { parseWebhookSecrets, type Variables } from './values.ts'

/** Webhook providers that this version reads. */
const PROVIDERS: ReadonlySet<string> = new Set(['ci', ...PUSH_PROVIDERS])
const MIN_KEY_BYTES = 16

const OF_NODES = ['NODE_NAME', 'NODE_URL', 'CLUSTER_SECRET', 'DRAIN_TIMEOUT_S'] as const

/** What is set of nodes and does nothing. */
function nodeNotices(given: Variables): string[] {
  if (given.DATABASE_URL === undefined) {
    const idle = OF_NODES.filter(name => given[name] !== undefined)
    if (idle.length === 0) return []
    const verb = idle.length === 1 ? 'is set, but it does' : 'are set, but they do'
    return [`${idle.join(', ')} ${verb} nothing without DATABASE_URL.`]
  }
  if (given.CLUSTER_SECRET !== undefined) return []
  return [
    'CLUSTER_SECRET is not set: nodes forward nothing to each other, and each that is asked about a project keeps ' +
      'its index.',
  ]
}

/** Sentences for the operator: settings that do nothing as they are, half a model configuration. */
export function noticesFor(given: Variables, values: Environment): string[] {
  const notices = nodeNotices(given)
  if (given.AIDER_MODEL !== undefined && given.AIDER_BIN === undefined) {
    notices.push('AIDER_MODEL is set, but it does nothing without AIDER_BIN.')
  }
  const [token, chat] = [given.TELEGRAM_BOT_TOKEN, given.TELEGRAM_CHAT_ID]
  if ((token === undefined) !== (chat === undefined)) {
    const [set, missing] = token === undefined ? ['CHAT_ID', 'BOT_TOKEN'] : ['BOT_TOKEN', 'CHAT_ID']
    notices.push(`TELEGRAM_${set} is set, but nothing is sent without TELEGRAM_${missing}.`)
  }
  const providers = parseWebhookSecrets(values.WEBHOOK_SECRETS)
  for (const provider of providers.keys()) {
    if (!PROVIDERS.has(provider)) {
      notices.push(`WEBHOOK_SECRETS names ${JSON.stringify(provider)}, but nothing in this version uses it.`)
    }
  }
  if ([...providers.values()].flat().some(key => key.length < MIN_KEY_BYTES)) {
    notices.push(
      `A secret of WEBHOOK_SECRETS has fewer than ${MIN_KEY_BYTES} bytes; "openssl rand -base64 32" makes a good ` +
        'one, with whsec_ before it.',
    )
  }
  const gap = llmGap(values)
  const isHalf = llmEndpoint(values) !== null || values.LLM_MODEL !== undefined
  if (gap !== null && isHalf) notices.push(`${gap.reason} ${gap.fix}`)
  return notices
}
