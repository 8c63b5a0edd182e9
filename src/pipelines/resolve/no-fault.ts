import { randomBytes } from 'node:crypto'
import { counted } from '../steps/counted.ts'
import type { IndexState, Resolution } from '../../core/resolution.ts'

/** A log without a fault, and the project that it is about. */
interface NoFault {
  projectName: string
  commit: string
  indexState: IndexState
  log: string
  /** Warnings and stacks of others in the log, which are no faults. */
  passedOver: number
}

const LOOKED_FOR =
  'Looked for: errors with their stack traces, errors of compilers, linters and build tools, ' +
  'and failures that test runners report. If the run failed, send what its commands printed, to the end.'

function noFaultText(log: string, passedOver: number): string {
  const lines = counted(log.split('\n').length - (log.endsWith('\n') ? 1 : 0), 'line')
  const others = passedOver === 0 ? '' : ` (${counted(passedOver, 'warning')} or other stacks are no faults)`
  return `No fault was found in the ${lines} of this log${others}. ${LOOKED_FOR}`
}

/** What a log without any fault comes to: a resolution with nothing in it that says so, and what was looked for. */
export function noFaultResolution({
  projectName,
  commit,
  indexState,
  log,
  passedOver,
}: NoFault): Resolution & { notice: string } {
  return {
    id: `res_${randomBytes(12).toString('hex')}`,
    projectName,
    commit,
    indexState,
    exceptions: [],
    frames: [],
    framesTotal: 0,
    notice: noFaultText(log, passedOver),
    sources: [],
    context: '',
    contextTokens: 0,
    tokenizer: '',
    dropped: [],
    suspectCommits: [],
    suspectsStatus: 'ok',
    answer: null,
    answerStatus: 'not_requested',
    answerError: { code: 'NO_STACK_TRACE', message: 'There is no fault in the log that could be explained.' },
    model: null,
    usage: { llmCalls: 0, promptTokens: 0, completionTokens: 0, usd: null },
    timingsMs: { parse: 0, map: 0, retrieve: 0, context: 0, llm: 0, total: 0 },
  }
}
