import type { ResolveInput } from '../../../contract/resolution.ts'
import type { DialogueMessage } from '../../../core/dialogue.ts'
import type { Answer, Resolution, Source } from '../../../core/resolution.ts'
import type { AskModel } from '../../steps/model/ask-model.ts'
import type { CodeToAsk } from './tools.ts'

/** What was located, and what a model is to be asked about it; plain data. */
export interface LocatedQuestion {
  /** Without an answer. */
  resolution: Resolution
  dialogue: DialogueMessage[]
  at: { repository: string | null; commit: string }
  /** Secrets that were replaced in it. */
  redactions: number
}

/** What investigating needs. */
export interface InvestigateDeps {
  /** Locates the code behind a trace for a caller who asks the model by itself. */
  openQuestion: (input: ResolveInput, signal: AbortSignal) => Promise<LocatedQuestion>
  /** The parts of a reply, and its patch, checked against the commit. */
  readReply: (
    reply: { text: string; shown: string; finishReason: string },
    question: Pick<LocatedQuestion, 'at'> & { sources: Source[] },
  ) => Promise<{ answer: Answer; answerError: Resolution['answerError'] }>
  /** Keeps an answer, as every resolution is. */
  keepResolution: (resolution: Resolution, stackTrace: string) => Promise<void>
  /** @throws {FaultlineError} When the project or the commit is gone. */
  openCode: (projectName: string, at: { ref?: string; signal: AbortSignal }) => Promise<CodeToAsk>
  readFile: (file: { repository: string; commit: string; path: string }) => Promise<string | null>
  /** The same data without secrets, and how many were replaced. */
  clean: <T>(value: T) => { value: T; redactions: number }
  countTokens: (text: string) => number
  model: Pick<AskModel, 'askInStep' | 'render' | 'contextOf' | 'jsonValuesIn'>
}
