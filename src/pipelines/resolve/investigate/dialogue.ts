import type { ResolveInput } from '../../../contract/resolution.ts'
import {
  renderDialogue,
  type DialogueMessage,
  type RenderedDialogue,
  type RenderPrompt,
} from '../../../core/dialogue.ts'
import { showLine } from '../../../core/visible-text.ts'
import type { ChatMessage } from '../../../llm/client/client.ts'
import type { ToolCall } from '../../../llm/tools/tool-calls.ts'
import { stepsOf } from './limits.ts'
import type { Look } from './look.ts'
import { TOOL_DEFINITIONS } from './tools.ts'

/** How the model asks: by calls of the protocol, or in JSON. */
export type AskedBy = 'tool_calls' | 'json'

/** One reply that asked for something, and what came of it. */
export interface Turn {
  text: string
  calls: ToolCall[]
  looks: Look[]
  /** What is said to the calls that were not carried out, which are the last ones. */
  leftOut: string[]
  /** What is said beside the last of them: how many are left, or that the answer is due. */
  remark: { prompt: string; slots: Record<string, string> }
}

/** The dialogue as it stands. */
interface Investigated {
  /** The question of a plain resolution. */
  question: readonly DialogueMessage[]
  turns: readonly Turn[]
  askedBy: AskedBy
  maxSteps: number
  /** Paths that the search came to and whose code is not in the question; the likeliest first. */
  files: readonly string[]
  /** Hexadecimal, drawn once for a job: providers keep the beginning of a dialogue that does not change. */
  nonce: string
}

type Content = DialogueMessage['content']
type Part = Exclude<Content, readonly unknown[]>
type Beside = { toolCalls: ToolCall[] } | { toolCallId: string } | null

const partsOf = (content: Content): readonly Part[] =>
  Array.isArray(content) ? (content as readonly Part[]) : [content as Part]

const MAX_FILES = 30

/** Names files whose code is not shown, which the model may want to read. */
function withFiles(question: readonly DialogueMessage[], files: readonly string[]): DialogueMessage[] {
  const last = question.at(-1)
  if (last === undefined || files.length === 0) return [...question]
  const text = files.slice(0, MAX_FILES).map(showLine).join('\n')
  const named = { prompt: 'investigate-files', slots: { files: { label: 'further files', text } } }
  return [...question.slice(0, -1), { ...last, content: [...partsOf(last.content), '\n\n', named] }]
}

/** Tells what tools there are; asked in JSON also what they take. */
function instructed(question: readonly DialogueMessage[], askedBy: AskedBy, maxSteps: number): DialogueMessage[] {
  const [system, ...rest] = question
  if (system === undefined) return []
  const look = { prompt: 'investigate', slots: { max_steps: String(maxSteps) } }
  const tools = JSON.stringify(TOOL_DEFINITIONS, null, 1)
  const asking = askedBy === 'json' ? ['\n\n', { prompt: 'investigate-json', slots: { tools } }] : []
  return [{ ...system, content: [...partsOf(system.content), '\n\n', look, ...asking] }, ...rest]
}

function lookShown({ step, tool, told, text }: Look): Part[] {
  const head = `Step ${step}, ${/^\w{1,40}$/.test(tool) ? tool : 'a tool that there is not'}:`
  return [head, ...(told === '' ? [] : [` ${told}`]), ...(text === '' ? [] : ['\n', { label: 'what was found', text }])]
}

/** A reply that asked by calls, in words. */
const inWords = ({ text, calls }: Turn): string =>
  text === ''
    ? JSON.stringify({ calls: calls.map(({ name, arguments: given }) => ({ name, arguments: given })) })
    : text

/** What is sent for one turn, and what the protocol wants beside the words. */
function turnMessages(turn: Turn, askedBy: AskedBy): Array<{ message: DialogueMessage; beside: Beside }> {
  const { text, calls, looks, leftOut, remark } = turn
  const answers: Part[][] = [...looks.map(lookShown), ...leftOut.map(why => [why])]
  if (askedBy === 'json') {
    const content = answers.flatMap(parts => [...parts, '\n\n'])
    return [
      { message: { role: 'assistant', content: inWords(turn) }, beside: null },
      { message: { role: 'user', content: [...content, remark] }, beside: null },
    ]
  }
  return [
    { message: { role: 'assistant', content: text }, beside: { toolCalls: calls } },
    ...answers.map((parts, i) => ({
      message: { role: 'user' as const, content: i === answers.length - 1 ? [...parts, '\n\n', remark] : parts },
      beside: { toolCallId: calls[i]?.id ?? '' },
    })),
  ]
}

/** What a model is sent first, where it calls tools, beside their definitions. */
export function firstMessages(
  render: RenderPrompt,
  question: readonly DialogueMessage[],
  input: Pick<ResolveInput, 'max_steps'>,
): RenderedDialogue['messages'] {
  const start = instructed(question, 'tool_calls', stepsOf(input))
  return start.length === 0 ? [] : renderDialogue(render, start).messages
}

/** The messages of an investigation, and the names of the prompts in them. */
export function renderInvestigation(
  render: RenderPrompt,
  { question, turns, askedBy, maxSteps, files, nonce }: Investigated,
): { messages: ChatMessage[]; prompts: string[] } {
  const asked = turns.flatMap(turn => turnMessages(turn, askedBy))
  const start = instructed(withFiles(question, files), askedBy, maxSteps)
  const rendered = renderDialogue(render, [...start, ...asked.map(({ message }) => message)], () => nonce)
  const messages = rendered.messages.map((message, i): ChatMessage => {
    const beside = asked[i - start.length]?.beside ?? null
    if (beside === null) return message
    if ('toolCalls' in beside) return { ...message, toolCalls: beside.toolCalls }
    return { role: 'tool', content: message.content, toolCallId: beside.toolCallId }
  })
  return { messages, prompts: rendered.prompts }
}
