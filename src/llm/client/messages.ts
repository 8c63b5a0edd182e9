import type { OpenAI } from 'openai'
import type { ToolCall } from '../tools/tool-calls.ts'
import { redact } from '../redaction/redact.ts'
import { redactTexts } from '../redaction/redact-values.ts'

/** A message of words. */
export interface PlainMessage {
  role: 'system' | 'user' | 'assistant'
  content: string
  /** What the model asked for in this reply; only of `assistant`. */
  toolCalls?: ToolCall[]
}

/** What came of one call of a tool. */
export interface ToolMessage {
  role: 'tool'
  content: string
  toolCallId: string
}

/** One message of a dialogue with a model. */
export type ChatMessage = PlainMessage | ToolMessage

/** Arguments without secrets, which stay JSON where they are JSON. */
function cleanArguments(given: string): string {
  let value: unknown
  try {
    value = JSON.parse(given)
  } catch {
    return redact(given).text
  }
  return JSON.stringify(redactTexts(value))
}

/** Removes secrets from outgoing messages; every message passes through it. */
export function withoutSecrets<Message extends ChatMessage>(
  messages: readonly Message[],
): { clean: Message[]; redactions: number } {
  let redactions = 0
  const clean = messages.map(message => {
    const { text, count } = redact(message.content)
    redactions += count
    if (message.role === 'tool' || message.toolCalls === undefined) return { ...message, content: text }
    const toolCalls = message.toolCalls.map(call => ({ ...call, arguments: cleanArguments(call.arguments) }))
    return { ...message, content: text, toolCalls }
  })
  return { clean, redactions }
}

/** What a message takes of a context: its words, and the calls in it. */
export const sizedMessage = (message: ChatMessage): { content: string } =>
  message.role === 'tool' || message.toolCalls === undefined
    ? message
    : { content: `${message.content}${JSON.stringify(message.toolCalls)}` }

/** The message in the words of the protocol. */
export function wireMessage(message: ChatMessage): OpenAI.ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content }
  }
  const { role, content, toolCalls = [] } = message
  if (role !== 'assistant' || toolCalls.length === 0) return { role, content }
  return {
    role,
    content: content === '' ? null : content,
    tool_calls: toolCalls.map(({ id, name, arguments: given }) => ({
      id,
      type: 'function',
      function: { name, arguments: given },
    })),
  }
}
