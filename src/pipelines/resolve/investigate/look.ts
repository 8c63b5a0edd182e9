import { FaultlineError } from '../../../core/errors.ts'
import type { ToolCall } from '../../../llm/tools/tool-calls.ts'
import { askCode, type ReadLines } from './shown-answer.ts'
import { readCall, type CodeToAsk } from './tools.ts'

/** One thing that the model asked for and what came of it, as a step keeps it. */
export interface Look {
  /** Of the investigation, from 1. */
  step: number
  tool: string
  /** As the model wrote them, long ones cut. */
  arguments: string
  outcome: 'found' | 'nothing' | 'repeated' | 'refused'
  summary: string
  tokens: number
  /** Equal for equal questions; null for what is none. */
  key: string | null
  /** What the model is shown: words of ours, then what others wrote; each may be empty. */
  told: string
  text: string
  lines: ReadLines[]
}

/** Failures that say something about the question: the model is told, and may ask otherwise. */
const TOLD = new Set([
  'FILE_NOT_FOUND',
  'NAME_NOT_FOUND',
  'NOT_FOUND',
  'BAD_PATH',
  'VALIDATION_FAILED',
  'REF_NOT_FOUND',
  'OVERLOADED',
])
/** Those of them that mean that there is no such thing. */
const NOTHING_THERE = new Set(['FILE_NOT_FOUND', 'NAME_NOT_FOUND', 'NOT_FOUND'])
const MAX_SHOWN_ARGUMENTS = 500

const cutOff = (text: string, chars: number): string => (text.length > chars ? `${text.slice(0, chars)}…` : text)

const nothing = { tokens: 0, text: '', lines: [] }

const namesOf = ({ name, arguments: given }: Pick<ToolCall, 'name' | 'arguments'>, step: number) => ({
  step,
  tool: cutOff(name, 100),
  arguments: cutOff(given, MAX_SHOWN_ARGUMENTS),
})

/** A call that is not carried out. */
export const refused = (call: Pick<ToolCall, 'name' | 'arguments'>, step: number, why: string): Look => {
  return { ...namesOf(call, step), ...nothing, outcome: 'refused', summary: why, key: null, told: why }
}

/** What was asked before, so that the same is not looked up again. */
type Asked = ReadonlyMap<string, Pick<Look, 'step'>>

/**
 * Carries out one call of a model. Whatever is wrong with it is told to the model; nothing is written or run.
 *
 * @param asked - The first look of each question.
 * @throws The signal's reason, and what is a fault of ours.
 */
export async function look(
  call: Pick<ToolCall, 'name' | 'arguments'>,
  { step, asked, code, signal }: { step: number; asked: Asked; code: CodeToAsk; signal: AbortSignal },
): Promise<Look> {
  const own = namesOf(call, step)
  const read = await readCall(call.name, call.arguments)
  if ('refusal' in read) return refused(call, step, read.refusal)
  const { key, question } = read
  const before = asked.get(key)
  if (before !== undefined) {
    const told = `You asked this before: what step ${before.step} showed holds. Ask something else, or answer.`
    return { ...own, ...nothing, outcome: 'repeated', summary: `the same as in step ${before.step}`, key, told }
  }
  try {
    const { isEmpty, ...answer } = await askCode(code, question, signal)
    return { ...own, ...answer, outcome: isEmpty ? 'nothing' : 'found', key, told: '' }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FaultlineError) || !TOLD.has(error.code)) throw error
    const told = [error.message, error.fix ?? ''].join(' ').trim()
    const outcome = NOTHING_THERE.has(error.code) ? 'nothing' : 'refused'
    // what is told names paths and names of the project, which others wrote
    return { ...own, ...nothing, outcome, summary: cutOff(told, 300), key, told: '', text: told }
  }
}
