import type { EnvironmentInput } from '../../contract/environment.ts'
import { FaultlineError } from '../../core/errors.ts'
import { isTerminal, type Job, type JobStatus } from '../../core/job.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import type { Layer } from '../../sandbox/run.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import {
  createVersionsOf,
  planEnvironment,
  type EnvironmentPlan,
  type PlanDeps,
  type ProjectCommit,
} from '../environment/plan.ts'

/** What became of the dependencies of a project. */
export type EnvironmentState =
  | { status: 'none' }
  | { status: 'ready'; key: string; layer: Layer }
  | { status: 'failed'; reason: string; fix: string }

/**
 * What a program of a project runs on at a commit: installs it where it is not there, or waits for who does. To be
 * asked right before each run: what is there already costs next to nothing, and an environment that nobody used for a
 * while may be gone. It is no step, so that nothing of it is stored.
 *
 * @throws {FaultlineError} SANDBOX_UNAVAILABLE
 */
export type NeedEnvironment = (
  job: JobContext,
  at: ProjectCommit,
  /** `installs`: how often it is installed before it counts as failed; default: once. */
  options?: { installs?: number },
) => Promise<EnvironmentState>

/** What a run gets of an environment; undefined for nothing. @throws {FaultlineError} ENVIRONMENT_FAILED */
export function requireLayer(state: EnvironmentState): Layer | undefined {
  if (state.status === 'failed') throw new FaultlineError('ENVIRONMENT_FAILED', state.reason, state.fix)
  return state.status === 'ready' ? state.layer : undefined
}

/** The jobs that install. */
export interface InstallJobs {
  /** The one that is queued or runs for this key, as before a restart; null where there is none. */
  findOpen: (key: string) => Promise<string | null>
  /** Makes one in the name of the key that made another job, and gives its id. */
  create: (input: EnvironmentInput, keyName: string | null) => Promise<string>
  /**
   * Resolves when it has ended, or when the signal fires. Null for a job that is gone. `isElsewhere`: it ran on another
   * node, whose disk is not this one's, since this one was taken for dead.
   */
  settled: (
    id: string,
    signal: AbortSignal,
  ) => Promise<(Pick<Job, 'status' | 'error'> & { isElsewhere?: boolean }) | null>
  statusOf: (id: string) => Promise<JobStatus | null>
}

/** What asking for an environment needs. */
interface NeedDeps extends PlanDeps {
  sandbox: PlanDeps['sandbox'] & Pick<Sandbox, 'openLayer'>
  installJobs: InstallJobs
  /** Milliseconds; default: the clock. */
  now?: () => number
}

type Failed = Extract<EnvironmentState, { status: 'failed' }>

/** So long one failure stands for all that ask for the same. */
const REMEMBER_FAILURE_MS = 60_000
const MAX_TRIES = 2
/** What became of an install that another node did. */
const ELSEWHERE = 'elsewhere'
const SEE_LOG = 'GET /jobs?type=environment lists the installs; their logs say more.'

/** Has environments made, one install for all who need the same. */
export function createNeedEnvironment(deps: NeedDeps): NeedEnvironment {
  const { sandbox, installJobs, now = Date.now } = deps
  const versionsOf = createVersionsOf(deps, now)
  /** Ids of the jobs that install, by key. */
  const installing = new Map<string, Promise<string>>()
  const failures = new Map<string, { at: number; state: Failed; installs: number; jobId: string }>()

  async function openJob(
    before: Promise<string> | undefined,
    input: EnvironmentInput,
    keyName: string | null,
  ): Promise<string> {
    const known = await before?.catch(() => null)
    const status = known === undefined || known === null ? null : await installJobs.statusOf(known)
    if (typeof known === 'string' && status !== null && !isTerminal(status)) return known
    return (await installJobs.findOpen(input.key)) ?? (await installJobs.create(input, keyName))
  }

  /** The job that installs, which is made where there is none; whoever asks meanwhile gets the same. */
  function jobFor(input: EnvironmentInput, keyName: string | null): Promise<string> {
    const id = openJob(installing.get(input.key), input, keyName)
    installing.set(input.key, id)
    return id
  }

  function remembered(key: string): { state: Failed; installs: number; jobId: string } | null {
    const failure = failures.get(key)
    if (failure === undefined) return null
    if (now() - failure.at < REMEMBER_FAILURE_MS) return failure
    failures.delete(key)
    return null
  }

  /** Several wait for one install. */
  function remember(key: string, { state, jobId }: { state: Failed; jobId: string }): void {
    const last = remembered(key)
    const installs = (last?.installs ?? 0) + (last?.jobId === jobId ? 0 : 1)
    failures.set(key, { at: now(), state, jobId, installs })
  }

  async function installOnce(job: JobContext, input: EnvironmentInput): Promise<Failed | typeof ELSEWHERE | null> {
    const made = jobFor(input, job.keyName)
    const id = await made
    job.log(`The job ${id} installs the dependencies.`)
    const ended = await installJobs.settled(id, job.signal)
    job.signal.throwIfAborted()
    if (installing.get(input.key) === made) installing.delete(input.key)
    if (ended?.isElsewhere === true) return ELSEWHERE
    if (ended?.status === 'succeeded') return null
    const { message = `The installation was ${ended?.status ?? 'deleted'}.`, fix = SEE_LOG } = ended?.error ?? {}
    const state: Failed = { status: 'failed', reason: message, fix }
    if (ended?.status === 'failed') remember(input.key, { state, jobId: id })
    return state
  }

  async function install(job: JobContext, input: EnvironmentInput): Promise<Failed | null> {
    const ended = await installOnce(job, input)
    if (ended !== ELSEWHERE) return ended
    job.log('Another node did that, as this one was taken for dead; it is done here now.')
    return await install(job, input)
  }

  async function refused(work: Promise<Failed | null>): Promise<Failed | null> {
    try {
      return await work
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      return { status: 'failed', reason: error.message, fix: error.fix ?? SEE_LOG } // no job could be made
    }
  }

  /** Installs, and again where that failed so far less often than it may. */
  async function installed(job: JobContext, input: EnvironmentInput, installs: number): Promise<Failed | null> {
    const last = remembered(input.key)
    if (last !== null && last.installs >= installs) return last.state
    for (let left = installs - (last?.installs ?? 0); ; left--) {
      const failure = await refused(install(job, input))
      if (failure === null || left <= 1) return failure
      job.log(`It is installed once more: ${failure.reason}`)
    }
  }

  async function planned(job: JobContext, at: ProjectCommit): Promise<EnvironmentPlan | Failed | null> {
    try {
      return await planEnvironment(job, { ...deps, versionsOf, onNotice: notice => job.log(notice) }, at)
    } catch (error) {
      if (!(error instanceof FaultlineError) || error.code !== 'ENVIRONMENT_FAILED') throw error
      return { status: 'failed', reason: error.message, fix: error.fix ?? SEE_LOG }
    }
  }

  /** What is asked for may change while it is installed, as by new settings: then it is asked for anew. */
  async function need(
    job: JobContext,
    at: ProjectCommit,
    { tries, installs }: { tries: number; installs: number },
  ): Promise<EnvironmentState> {
    const plan = await planned(job, at)
    if (plan === null) return { status: 'none' }
    if ('status' in plan) return plan
    const { key } = plan
    const { projectName, repository, commit } = at
    const there = await sandbox.openLayer(key)
    if (there !== null) return { status: 'ready', key, layer: there }
    if (tries === 0) return { status: 'failed', reason: 'What was installed is not what was asked for.', fix: SEE_LOG }
    const input = { project_name: projectName, repository, commit, key }
    return (await installed(job, input, installs)) ?? (await need(job, at, { tries: tries - 1, installs }))
  }

  return (job, at, { installs = 1 } = {}) => need(job, at, { tries: MAX_TRIES, installs })
}
