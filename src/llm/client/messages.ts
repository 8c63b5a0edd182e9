import { redact } from '../redaction/redact.ts'

/** One message of a dialogue with a model. */
export interface ChatMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
}

/** Removes secrets from outgoing messages; every message passes through it. */
export function withoutSecrets(messages: readonly ChatMessage[]): { clean: ChatMessage[]; redactions: number } {
  let redactions = 0
  const clean = messages.map(({ role, content }) => {
    const { text, count } = redact(content)
    redactions += count
    return { role, content: text }
  })
  return { clean, redactions }
}
