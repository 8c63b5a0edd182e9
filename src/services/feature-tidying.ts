import { isTerminal } from '../core/job.ts'
import type { JobStore, StoredJob } from '../jobs/store/job-store.ts'
import { abortBranch, type AbortDeps } from '../pipelines/feature/abort.ts'
import { baseHold } from '../pipelines/steps/base/fresh-base.ts'
import type { AuditStore } from '../jobs/store/audit-store.ts'
import type { FeatureStore } from '../jobs/store/feature-store.ts'
import type { Repos } from '../repos/repos.ts'
import type { Log } from './log.ts'

/** For closing a request and deleting branches here and there. */
const MAX_MS = 60_000
const AGAIN_MS = 5 * 60_000
/** The same once the server stops: a command that was interrupted stops at once, and is to leave no branch. */
const LAST_MS = 5_000

/** What tidying is made of. */
interface TidyingDeps extends Omit<AbortDeps, 'features'> {
  git: AbortDeps['git'] & Pick<Repos, 'ownBranches'>
  features: FeatureStore
  audit: Pick<AuditStore, 'add'>
  jobs: Pick<JobStore, 'find'>
  log: Log
  /** Fires when the server stops; what is left then is found at the next start. */
  closing: AbortSignal
  /** How long to wait before what could not be deleted is tried again. */
  againMs?: number
}

/** Aborts the features whose body had no chance to, as those of cancelled jobs. */
interface FeatureTidying {
  /** To be told of each feature job that has ended. Goes on in the background. */
  ended(job: Pick<StoredJob, 'id' | 'projectName'>): void
  /** Waits for what was begun. */
  idle(): Promise<void>
  /** Looks at all open features for what a killed server left, and again every few minutes while something is left. */
  sweep(): void
}

/** Deletes what features leave whose jobs have ended. */
export function createFeatureTidying(deps: TidyingDeps): FeatureTidying {
  const { features, audit, jobs, git, log, closing, againMs = AGAIN_MS } = deps
  const running = new Set<Promise<void>>()
  let again: NodeJS.Timeout | undefined
  const last = new AbortController()
  closing.addEventListener('abort', () => setTimeout(() => last.abort(), LAST_MS).unref())

  const warn = (error: unknown): void => {
    if (!closing.aborted) log.warn({ err: error }, 'what is left of an ended feature could not be deleted')
  }

  /** Deletes the branch that holds the base of a job which ended before it had a branch of its own. */
  async function tidyBase({ id, projectName }: Pick<StoredJob, 'id' | 'projectName'>): Promise<void> {
    if (projectName === null) return
    const holds = (await git.ownBranches(projectName)).filter(({ branch }) => branch === baseHold(id))
    for (const hold of holds) await git.deleteBranch(hold, last.signal)
  }

  /** @returns whether something is left to be deleted later. */
  async function tidy(jobId: string, stop: AbortSignal): Promise<boolean> {
    const branch = await features.find(jobId)
    if (branch === null) return false
    const signal = AbortSignal.any([stop, AbortSignal.timeout(MAX_MS)])
    const { projectName, repository } = branch
    if (branch.state !== 'open') {
      await git.deleteBranch({ projectName, repository, branch: baseHold(jobId) }, signal)
      return false
    }
    const { isDone, notes } = await abortBranch(deps, branch, signal)
    for (const note of notes) log.warn({ job: jobId, branch: branch.branch }, note)
    const target = `${branch.branch} (job ${jobId})`
    const entry = { key: null, action: 'feature.abort', projectName, target, outcome: 'done', requestId: null }
    if (isDone) await audit.add(entry)
    return !isDone
  }

  async function isOver(jobId: string): Promise<boolean> {
    const job = await jobs.find(jobId)
    return job === null || isTerminal(job.status)
  }

  /** @returns whether something is left to be deleted later. */
  async function sweepOpen(): Promise<boolean> {
    let isLeft = false
    for (const { jobId } of await features.open()) {
      if (await isOver(jobId)) isLeft = (await tidy(jobId, closing)) || isLeft
    }
    return isLeft
  }

  /** Does work in the background, and looks again a while later where something is left. */
  function track(work: Promise<boolean>): void {
    const tracked = work
      .then(isLeft => {
        if (!isLeft || closing.aborted || again !== undefined) return
        again = setTimeout(() => {
          again = undefined
          track(sweepOpen())
        }, againMs)
        again.unref()
      })
      .catch(warn)
      .finally(() => running.delete(tracked))
    running.add(tracked)
  }

  closing.addEventListener('abort', () => clearTimeout(again))

  return {
    ended(job) {
      track(tidyBase(job).then(() => tidy(job.id, last.signal)))
    },
    async idle() {
      await Promise.all(running)
    },
    sweep() {
      track(sweepOpen())
    },
  }
}
