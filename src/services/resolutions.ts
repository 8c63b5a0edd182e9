import type { Config } from '../config.ts'
import type { FeedbackInput } from '../contract/kept-resolution.ts'
import type { ResolutionAnswer } from '../contract/resolution.ts'
import { FaultlineError } from '../core/errors.ts'
import { redactTexts } from '../llm/redaction/redact-values.ts'
import type { CiRuns } from '../resolutions/ci-runs.ts'
import { ResolutionKeeper } from '../resolutions/resolution-keeper.ts'
import type { ResolutionStore } from '../resolutions/resolution-store.ts'
import type { Log } from './log.ts'
import type { Rush } from './rush.ts'

/** Whether whoever asks may know of a project. */
type SeesProject = (projectName: string) => boolean

/** Answers to stack traces that are kept. */
export interface Resolutions extends Pick<ResolutionStore, 'list' | 'feedbackCounts' | 'removeOfProject'> {
  keeper: ResolutionKeeper
  ciRuns: CiRuns
  /** @throws {FaultlineError} RESOLUTION_NOT_FOUND, also where its project is not seen. */
  get(id: string, sees: SeesProject): Promise<ResolutionAnswer>
  /** What it was asked about, without secrets; null where that was too long to be kept. Throws as `get`. */
  traceOf(id: string, sees: SeesProject): Promise<string | null>
  /** @throws {FaultlineError} RESOLUTION_NOT_FOUND, also where its project is not seen. */
  judge(id: string, sees: SeesProject, feedback: FeedbackInput & { keyName: string | null }): Promise<void>
}

interface ResolutionsDeps {
  store: ResolutionStore
  ciRuns: CiRuns
  /** Whether nothing may be written: answers go out and are not kept. */
  readOnly: boolean
  rush: Rush
  log: Log
}

const notFound = (id: string): FaultlineError =>
  new FaultlineError(
    'RESOLUTION_NOT_FOUND',
    `There is no resolution ${JSON.stringify(id)}.`,
    'GET /resolutions lists those that are kept; older ones than RETENTION_DAYS are forgotten.',
  )

/** The same store, of which nobody but its owner changes anything. */
function onlyToRead(store: ResolutionStore): ResolutionStore {
  const refuse = async (): Promise<never> => {
    throw new FaultlineError('DATA_DIR_LOCKED', 'Kept answers are only read here.')
  }
  return {
    get: id => store.get(id),
    answerTo: question => store.answerTo(question),
    list: (...args) => store.list(...args),
    feedbackCounts: () => store.feedbackCounts(),
    put: async () => {},
    removeBefore: async () => 0,
    addFeedback: refuse,
    removeOfProject: refuse,
  }
}

/** Keeps answers in a store, and gives them back to whoever may see them. */
export function openResolutions(
  { retentionDays }: Pick<Config, 'retentionDays'>,
  { store: own, ciRuns, readOnly, rush, log }: ResolutionsDeps,
): Resolutions {
  const store = readOnly ? onlyToRead(own) : own
  const keeper = new ResolutionKeeper({
    store,
    redact: redactTexts,
    untilCalm: () => rush.untilCalm(),
    onFailed: error => log.warn({ err: error }, 'answers could not be kept; they went out all the same'),
    retentionDays,
  })
  async function get(id: string, sees: SeesProject): Promise<ResolutionAnswer> {
    const found = await keeper.get(id)
    if (found === null || !sees(found.project_name)) throw notFound(id)
    return found
  }
  return {
    keeper,
    ciRuns,
    get,
    list: async (...args) => {
      await keeper.flush()
      return await store.list(...args)
    },
    async traceOf(id, sees) {
      await get(id, sees)
      return keeper.traceOf(id)
    },
    feedbackCounts: () => store.feedbackCounts(),
    async removeOfProject(name) {
      await keeper.flush()
      await store.removeOfProject(name)
      await ciRuns.removeOfProject(name)
    },
    async judge(id, sees, { keyName, ...feedback }) {
      await get(id, sees)
      await keeper.flush()
      const isKnown = await store.addFeedback(id, {
        ...redactTexts(feedback),
        keyName,
        at: new Date().toISOString(),
      })
      if (!isKnown) throw notFound(id)
    },
  }
}
