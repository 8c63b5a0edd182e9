import { FaultlineError } from '../../../core/errors.ts'
import type { Resolution } from '../../../core/resolution.ts'
import { checkCitations } from './citations.ts'
import type { InvestigateDeps, LocatedQuestion } from './deps.ts'
import type { CodeToAsk } from './tools.ts'

/** Why an investigation ended without a whole answer. */
export interface Failure {
  code: string
  message: string
}

/** What the model wrote. */
interface Written {
  text: string
  finishReason: string
  failure: Failure | null
}

/** Against what it is checked. */
interface CheckedAt {
  at: LocatedQuestion['at']
  /** All that the model was shown. */
  shown: readonly string[]
  /** @throws {FaultlineError} When the commit is gone by now. */
  openCode: () => Promise<CodeToAsk>
  signal: AbortSignal
  log: (line: string) => void
}

/** An investigation in which the model wrote no word of an answer. */
export function unanswered(own: Resolution, failure: Failure | null): Resolution {
  const { code, message } = failure ?? { code: 'LLM_BAD_REPLY', message: 'The model gave no answer.' }
  return { ...own, answer: null, answerStatus: 'failed', answerError: { code, message }, citations: [] }
}

function checkedIn(
  code: CodeToAsk,
  { text, own: { sources, frames } }: { text: string; own: Resolution },
  { at, shown, signal }: CheckedAt,
  { readFile }: Pick<InvestigateDeps, 'readFile'>,
) {
  return checkCitations(text, {
    commit: at.commit,
    paths: new Set([...sources.map(({ path }) => path), ...frames.flatMap(({ path }) => path ?? [])]),
    shown,
    readFile: async path => {
      for (const { repository, readAt } of code.commits) {
        const found = await readFile({ repository, commit: readAt, path })
        if (found !== null) return found
      }
      return null
    },
    async hasName(name) {
      try {
        return (await code.findReferences({ name, limit: 1 }, signal)).total > 0
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof FaultlineError && error.code === 'NAME_NOT_FOUND') return false
        throw error
      }
    },
  })
}

/** A paid answer is not lost because the commit is gone by now: then its citations stay unchecked. */
async function checked(
  given: { text: string; own: Resolution },
  against: CheckedAt,
  deps: Pick<InvestigateDeps, 'readFile'>,
): Promise<{ text: string; citations?: Resolution['citations'] }> {
  try {
    return await checkedIn(await against.openCode(), given, against, deps)
  } catch (error) {
    against.signal.throwIfAborted()
    if (!(error instanceof FaultlineError)) throw error
    against.log(`What the answer cites could not be looked up: ${error.message}`)
    return { text: given.text }
  }
}

/** An investigation with its answer, whose parts, patch and citations are checked at the commit. */
export async function answered(
  own: Resolution,
  { text, finishReason, failure }: Written,
  against: CheckedAt,
  deps: Pick<InvestigateDeps, 'readFile' | 'readReply'>,
): Promise<Resolution> {
  const { text: shown, citations } = await checked({ text, own }, against, deps)
  const read = await deps.readReply(
    { text, shown, finishReason: failure === null ? finishReason : 'stop' },
    { at: against.at, sources: own.sources },
  )
  const answerError = failure === null ? read.answerError : { code: failure.code, message: failure.message }
  return {
    ...own,
    answer: read.answer,
    answerStatus: 'ok',
    answerError,
    ...(citations === undefined ? {} : { citations }),
  }
}
