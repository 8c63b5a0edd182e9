import type { FeatureBranch } from '../core/feature.ts'
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
/** Until the first time that what could not be deleted is tried again; each later wait is twice as long. */
const AGAIN_MS = 5 * 60_000
const LONGEST_MS = 6 * 3_600_000
/** For all that is left of a project that is to be deleted: a person waits for the answer. */
const SETTLE_MS = 30_000
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
  /** Does something later; a test puts its own in place. */
  later?: (work: () => void, ms: number) => NodeJS.Timeout
}

/** A feature that could not be aborted, and why, in sentences. */
interface Left {
  branch: FeatureBranch
  notes: readonly string[]
}

/** Aborts the features whose body had no chance to, as those of cancelled jobs. */
interface FeatureTidying {
  /** To be told of each feature job that has ended. Goes on in the background. */
  ended(job: Pick<StoredJob, 'id' | 'projectName'>): void
  /** Waits for what was begun. */
  idle(): Promise<void>
  /** Looks at all open features for what a killed server left; what is left then is tried again, ever more rarely. */
  sweep(): void
  /**
   * Aborts what is open of a project before it is deleted, which nothing can do afterwards. What a remote does not let
   * be deleted is logged, and stands in the audit log as `left`.
   */
  settle(projectName: string): Promise<void>
}

/** Deletes what features leave whose jobs have ended. */
export function createFeatureTidying(deps: TidyingDeps): FeatureTidying {
  const { features, audit, jobs, git, log, closing, later = setTimeout } = deps
  const running = new Set<Promise<void>>()
  /** What is under way, by job: two at once would take what the other deletes for a refusal. */
  const underWay = new Map<string, Promise<Left | null>>()
  /** Features of which something is left, by job: until when nothing is tried. */
  const waiting = new Map<string, { waitMs: number; timer: NodeJS.Timeout }>()
  const last = new AbortController()
  closing.addEventListener('abort', () => setTimeout(() => last.abort(), LAST_MS).unref())

  const warn = (error: unknown): void => {
    if (!closing.aborted) log.warn({ err: error }, 'what is left of an ended feature could not be deleted')
  }

  /** Does work in the background. */
  function track(work: Promise<void>): void {
    const tracked = work.catch(warn).finally(() => running.delete(tracked))
    running.add(tracked)
  }

  /** Deletes the branch that holds the base of a job which ended before it had a branch of its own. */
  async function tidyBase({ id, projectName }: Pick<StoredJob, 'id' | 'projectName'>): Promise<void> {
    if (projectName === null) return
    const holds = (await git.ownBranches(projectName)).filter(({ branch }) => branch === baseHold(id))
    for (const hold of holds) await git.deleteBranch(hold, last.signal)
  }

  const entryOf = ({ jobId, projectName, branch }: FeatureBranch, outcome: string) => ({
    key: null,
    action: 'feature.abort',
    projectName,
    target: `${branch} (job ${jobId})`,
    outcome,
    requestId: null,
  })

  /** @returns what could not be deleted, in sentences; null where nothing is left. */
  async function abortOpen(branch: FeatureBranch, stop: AbortSignal): Promise<string[] | null> {
    const late = AbortSignal.timeout(MAX_MS)
    try {
      const { isDone, notes } = await abortBranch(deps, branch, AbortSignal.any([stop, late]))
      if (!isDone) return notes
      for (const note of notes) log.warn({ job: branch.jobId, branch: branch.branch }, note)
      await audit.add(entryOf(branch, 'done'))
      return null
    } catch (error) {
      if (!late.aborted || stop.aborted) throw error
      return [`The remote of "${branch.repository}" did not answer within ${MAX_MS / 1000} s.`]
    }
  }

  /** Tries again later, each time after twice as long; a person is told of the first time. */
  function postpone({ branch: { jobId, branch }, notes }: Left, again: () => void): void {
    const before = waiting.get(jobId)
    clearTimeout(before?.timer)
    if (before === undefined) for (const note of notes) log.warn({ job: jobId, branch }, note)
    if (closing.aborted) return
    const waitMs = before === undefined ? AGAIN_MS : Math.min(before.waitMs * 2, LONGEST_MS)
    const timer = later(again, waitMs)
    timer.unref()
    waiting.set(jobId, { waitMs, timer })
  }

  function forget(jobId: string): void {
    clearTimeout(waiting.get(jobId)?.timer)
    waiting.delete(jobId)
  }

  /** @returns what is left; null for nothing. */
  async function tidyNow(jobId: string, stop: AbortSignal): Promise<Left | null> {
    const branch = await features.find(jobId)
    if (branch === null) return null
    if (branch.state !== 'open') {
      const { projectName, repository } = branch
      await git.deleteBranch({ projectName, repository, branch: baseHold(jobId) }, stop)
      return null
    }
    const notes = await abortOpen(branch, stop)
    return notes === null ? null : { branch, notes }
  }

  /** Does what is left to do for one feature, after what is under way for it. */
  async function tidy(jobId: string, stop: AbortSignal): Promise<void> {
    const before = underWay.get(jobId)?.catch(() => null) ?? Promise.resolve(null)
    const work = before.then(() => tidyNow(jobId, stop))
    underWay.set(jobId, work)
    try {
      const left = await work
      if (left === null) forget(jobId)
      else postpone(left, () => track(tidy(jobId, closing)))
    } finally {
      if (underWay.get(jobId) === work) underWay.delete(jobId)
    }
  }

  async function isOver(jobId: string): Promise<boolean> {
    const job = await jobs.find(jobId)
    return job === null || isTerminal(job.status)
  }

  async function sweepOpen(): Promise<void> {
    for (const { jobId } of await features.open()) {
      if (await isOver(jobId)) await tidy(jobId, closing)
    }
  }

  closing.addEventListener('abort', () => {
    for (const { timer } of waiting.values()) clearTimeout(timer)
  })

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
    async settle(projectName) {
      const stop = AbortSignal.any([closing, AbortSignal.timeout(SETTLE_MS)])
      async function settleOne({ jobId }: FeatureBranch): Promise<void> {
        await tidy(jobId, stop).catch(warn)
        forget(jobId)
        const left = await features.find(jobId)
        if (left?.state !== 'open' || (!left.isPushed && left.requestNumber === null)) return
        const about = { job: jobId, branch: left.branch, repository: left.repository }
        log.warn(about, 'the project is deleted, and this branch or its pull request may stay: delete it on the remote')
        await audit.add(entryOf(left, 'left'))
      }
      await Promise.all((await features.open({ projectName })).map(settleOne))
    },
  }
}
