import type { BisectInput } from '../../contract/bisect.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { Bisecting } from '../../repos/history/bisect.ts'
import type { CommitOfClone } from '../../repos/objects/commit-reader.ts'
import type { Repos } from '../../repos/repos.ts'
import { counted } from '../steps/counted.ts'

/** What finding the two ends of a search needs. */
export interface RangeDeps {
  git: Pick<Repos, 'fetchRef' | 'fetchHistory' | 'history'> & Pick<Bisecting, 'bisectRange'>
  /** @throws {FaultlineError} PROJECT_NOT_FOUND, VALIDATION_FAILED: it has several repositories. */
  commitOf: (projectName: string, repository?: string) => Promise<CommitOfClone>
}

/** The two ends of a search, and the commits that both have: the good one alone where the bad one is built on it. */
export type Range = { repository: string; good: string; bad: string; bases: string[]; commits: number }

const FETCH_MS = 120_000
/** A clone job goes before a history; each of them interrupts it. */
const MAX_INTERRUPTIONS = 20

/** Has the history fetched that is still missing; what can be done without it goes on. */
async function deepen(
  job: Pick<JobContext, 'log' | 'progress'>,
  { git }: RangeDeps,
  at: { repository: string; projectName: string },
  signal: AbortSignal,
): Promise<void> {
  if ((await git.history(at.repository)) === 'full') return
  job.progress({ step: 'range', done: 0, total: null, message: 'fetching the history' })
  try {
    for (let left = MAX_INTERRUPTIONS; left > 0; left--) {
      if ((await git.fetchHistory({ ...at, signal })) !== 'interrupted') return
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof FaultlineError)) throw error
    job.log(`The history could not be fetched: ${error.message}`)
  }
}

async function commitNamed(
  { git }: RangeDeps,
  { repository, ref }: { repository: string; ref: string },
  signal: AbortSignal,
): Promise<string> {
  const fetched = await git.fetchRef({ repository, ref, timeoutMs: FETCH_MS }, signal)
  if (fetched.commit !== null) return fetched.commit
  throw new FaultlineError(
    'REF_NOT_FOUND',
    `There is no commit, tag or branch ${JSON.stringify(ref)} in ${repository}: ${fetched.reason}.`,
    'Name one that "git log" of the repository shows.',
  )
}

const short = (commit: string): string => commit.slice(0, 10)

function refuse(detail: string, fix: string): never {
  throw new FaultlineError('VALIDATION_FAILED', detail, fix)
}

/**
 * The commits that a search is between, fetched where the clone lacks them.
 *
 * @throws {FaultlineError} REF_NOT_FOUND; VALIDATION_FAILED: nothing leads from the good one to the bad one.
 */
export async function findRange(
  job: Pick<JobContext, 'log' | 'progress'>,
  deps: RangeDeps,
  input: BisectInput,
  signal: AbortSignal,
): Promise<Range> {
  const { project_name: projectName } = input
  const { repository, commit } = await deps.commitOf(projectName, input.repository)
  await deepen(job, deps, { repository, projectName }, signal)
  const bad = input.bad === undefined ? commit : await commitNamed(deps, { repository, ref: input.bad }, signal)
  const good = await commitNamed(deps, { repository, ref: input.good }, signal)
  if (good === bad) refuse(`good and bad are both the commit ${short(good)}.`, 'Name an earlier commit with "good".')
  const { bases, commits, cutOff } = await deps.git.bisectRange({ repository, good, bad }, signal)
  if (bases.length === 0) {
    refuse(
      `Nothing in the clone connects good (${short(good)}) and bad (${short(bad)}): it holds a year of history, or ` +
        '5,000 commits.',
      'Name a newer commit with "good".',
    )
  }
  if (bases.includes(bad)) {
    refuse(
      `good (${short(good)}) is built on bad (${short(bad)}), so it came later.`,
      'Name the earlier commit with "good", the later one with "bad".',
    )
  }
  if (cutOff > 0) job.log(`The history of ${counted(cutOff, 'commit')} among them is not in the clone.`)
  return { repository, good, bad, bases, commits }
}
