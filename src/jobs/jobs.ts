import { EventEmitter } from 'node:events'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FaultlineError } from '../core/errors.ts'
import { isTerminal, type Job, type JobError, type JobEvent, type JobStatus, type JobType, type Json, type JsonObject } from '../core/job.ts'
import { createJobContext, type JobContext } from './job-context.ts'
import { createJobStore, type FinishedStep, type JobFilter, type NewJob, type QueuedJob, type StoredJob } from './job-store.ts'
import { packJson } from './packed-json.ts'

export interface JobDefinition {
  /** Gives the result of the job, which goes through JSON. */
  run (context: JobContext): Promise<unknown>
  /** Jobs with equal keys run one after the other; null: any number at once. */
  exclusiveKey (input: JsonObject): string | null
  projectName (input: JsonObject): string | null
  /** By step, the fields of the body that its stored output depends on: they cannot be overridden when the step is not run again. */
  consumes?: Record<string, readonly string[]>
}

export interface JobsOptions {
  db: DatabaseSync
  definitions: Partial<Record<JobType, JobDefinition>>
  concurrency: number
  queueLimit: number
  retentionDays: number
  onError: (error: unknown, job: { id: string, type: JobType }) => void
  now?: () => Date
}

export interface CreateOptions {
  keyName?: string | null
  idempotency?: NewJob['idempotency']
  packed?: NewJob['packed']
  trust?: 'trusted' | 'untrusted'
}

export type Jobs = ReturnType<typeof createJobs>

const WRITE_RETRY_MS = 1_000
const PRUNE_INTERVAL_MS = 3_600_000
const STOP_GRACE_MS = 8_000
const EVENT_PAGE = 200
/** After which a job that is followed is looked at though nothing told of a change. */
const FOLLOW_TURN_MS = 60_000

interface Run extends QueuedJob { controller: AbortController, settled: Promise<void> }

/**
 * Durable jobs in one process: jobs, events and finished steps are rows of one SQLite file, a pipeline is a plain async function that
 * is run again from the top after a crash and gets the stored output of every step that had finished.
 */
export function createJobs ({ db, definitions, concurrency, queueLimit, retentionDays, onError, now = () => new Date() }: JobsOptions) {
  const store = createJobStore(db, now)
  const running = new Map<string, Run>()
  const changes = new EventEmitter().setMaxListeners(0)
  let stopping = false
  let stopped: Promise<void> | undefined
  let started = false
  let pruning: NodeJS.Timeout | undefined

  const definitionOf = (type: JobType): JobDefinition => {
    const definition = definitions[type]
    if (definition === undefined) throw new Error(`no pipeline is defined for jobs of type ${type}`)
    return definition
  }
  const announce = (id: string) => { changes.emit(id) }

  function need (id: string): StoredJob {
    const job = store.find(id)
    if (job === null) throw new FaultlineError('JOB_NOT_FOUND', `There is no job ${JSON.stringify(id)}.`, 'GET /jobs lists the jobs.')
    return job
  }

  /** Starts queued jobs while there are free slots: first those of the project that runs the fewest, then by age. */
  function schedule (): void {
    for (let next = nextJob(); next !== null; next = nextJob()) start(next)
  }

  function nextJob (): QueuedJob | null {
    if (!started || stopping || running.size >= concurrency) return null
    const busyKeys = new Set<string>()
    const runsByProject = new Map<string, number>()
    for (const { exclusiveKey, projectName } of running.values()) {
      if (exclusiveKey !== null) busyKeys.add(exclusiveKey)
      runsByProject.set(projectName ?? '', (runsByProject.get(projectName ?? '') ?? 0) + 1)
    }
    let best: QueuedJob | null = null
    let fewest = Infinity
    for (const job of store.queued()) {
      const runs = runsByProject.get(job.projectName ?? '') ?? 0
      if ((job.exclusiveKey === null || !busyKeys.has(job.exclusiveKey)) && runs < fewest) { best = job; fewest = runs }
    }
    return best
  }

  function start (queued: QueuedJob): void {
    const controller = new AbortController()
    if (!store.transition(queued, ['queued'], 'running')) return
    const job = need(queued.id)
    const settled = execute(job, controller.signal).catch(error => onError(error, job)).finally(() => {
      running.delete(job.id)
      announce(job.id)
      schedule()
    })
    running.set(job.id, { ...queued, controller, settled })
    announce(job.id)
  }

  async function execute (job: StoredJob, signal: AbortSignal): Promise<void> {
    await nextTurn() // whoever made the job is answered first: reading a body of ten megabytes takes a while
    if (signal.aborted) return stopping ? backInQueue(job) : undefined // cancelled before it began
    let currentStep: string | null = null
    const context = createJobContext({
      job,
      signal,
      store,
      changed: () => announce(job.id),
      entered: name => { currentStep = name },
      onError: error => onError(error, job),
    })
    let result: unknown
    try {
      result = await definitionOf(job.type).run(context)
    } catch (error) {
      if (signal.aborted && stopping) return backInQueue(job)
      if (signal.aborted) return // marked when it was cancelled
      if (!(error instanceof FaultlineError)) onError(error, job)
      return end(job, 'failed', { error: toJobError(error, currentStep) })
    }
    return end(job, 'succeeded', { result: result as Json })
  }

  async function backInQueue (job: StoredJob): Promise<void> {
    return end(job, 'queued', { note: 'the server is stopping; the job goes on after the restart' })
  }

  /** Writes how a job ended; while the disk is full that has to be tried again, or the job would stay `running` for ever. */
  async function end (job: StoredJob, to: 'succeeded' | 'failed' | 'queued', outcome: { result?: Json, error?: JobError, note?: string }): Promise<void> {
    for (;;) {
      try {
        store.transition(job, ['running'], to, outcome)
        return
      } catch (error) {
        onError(error, job)
        if (stopping) return // it is found running at the next start
        await new Promise(resolve => setTimeout(resolve, WRITE_RETRY_MS))
      }
    }
  }

  /** Resolves when something of the job changed, at the time limit, or when the caller has gone. */
  function nextChange (id: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer)
        changes.off(id, end)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, Math.max(0, timeoutMs)) // not AbortSignal.timeout: that one does not keep a CLI process alive
      changes.on(id, end)
      signal?.addEventListener('abort', end)
    })
  }

  async function waitUntil (id: string, isReached: (job: Job) => boolean, timeoutMs: number, signal?: AbortSignal): Promise<StoredJob> {
    const deadline = performance.now() + timeoutMs
    for (;;) {
      const job = need(id)
      const leftMs = deadline - performance.now()
      if (isReached(job) || leftMs <= 0 || signal?.aborted === true) return job
      await nextChange(id, leftMs, signal)
    }
  }

  function create (type: JobType, input: JsonObject, options: CreateOptions & Pick<NewJob, 'retryOf' | 'steps'> = {}): { job: StoredJob, replayed: boolean } {
    if (stopping) throw new FaultlineError('SHUTTING_DOWN', 'The server is stopping.', 'Send the request again in a few seconds.')
    const definition = definitionOf(type)
    const { keyName = null, ...rest } = options
    const made = store.create({ type, input, projectName: definition.projectName(input), exclusiveKey: definition.exclusiveKey(input), keyName, ...rest }, queueLimit)
    schedule()
    return { ...made, job: need(made.job.id) }
  }

  async function stopOnce (): Promise<void> {
    stopping = true
    clearInterval(pruning)
    const runs = [...running.values()]
    for (const { controller } of runs) controller.abort()
    await Promise.race([Promise.allSettled(runs.map(run => run.settled)), new Promise(resolve => setTimeout(resolve, STOP_GRACE_MS).unref())])
  }

  return {
    create: (type: JobType, input: JsonObject, options: CreateOptions = {}) => create(type, input, options),
    /** Begins to pack the bytes of a large body, for `create`. */
    pack: packJson,
    get: need,
    /** The body that a job was created with. */
    input: (id: string): JsonObject => store.input(need(id).seq),
    list: (filter: JobFilter, limit: number, before: number | null) => store.list(filter, limit, before),
    /** Whether a job with this exclusive key is queued, running or waiting. */
    isActive: store.isActive,
    /** Whether any job of this project is. */
    isProjectBusy: store.isProjectBusy,

    /** Waits until the job is terminal or waits for a person; gives back the job as it is at the time limit otherwise. */
    settled: (id: string, timeoutMs: number, signal?: AbortSignal) =>
      waitUntil(id, job => isTerminal(job.status) || job.status === 'waiting', timeoutMs, signal),

    /** Waits until the status is another one than now; a terminal job is given back at once. */
    statusChanged (id: string, timeoutMs: number, signal?: AbortSignal): Promise<StoredJob> {
      const before: JobStatus = need(id).status
      return waitUntil(id, job => job.status !== before || isTerminal(job.status), timeoutMs, signal)
    },

    /** Ends a job at once, whatever it is doing. @throws {FaultlineError} JOB_FINISHED */
    cancel (id: string): StoredJob {
      const job = need(id)
      if (!store.transition(job, ['queued', 'running', 'waiting'], 'cancelled')) {
        throw new FaultlineError('JOB_FINISHED', `The job ${id} has ended already: ${job.status}.`, 'POST /jobs/{id}/retry starts it again.')
      }
      running.get(id)?.controller.abort()
      announce(id)
      return need(id)
    },

    /**
     * Starts an ended job again as a new one; `input` is the old one with the overrides applied, checked by the caller. With `fromStep`
     * the steps before that one are taken over, and what they were made from cannot be overridden.
     *
     * @throws {FaultlineError} JOB_NOT_FINISHED; BAD_REQUEST when the job never got to `fromStep`, or an override came too late for it.
     */
    retry (id: string, input: JsonObject, { fromStep, ...options }: CreateOptions & { fromStep?: string } = {}): { job: StoredJob, replayed: boolean } {
      const job = need(id)
      if (!isTerminal(job.status)) throw new FaultlineError('JOB_NOT_FINISHED', `The job ${id} is ${job.status}.`, 'POST /jobs/{id}/cancel ends it.')
      const steps = fromStep === undefined ? [] : stepsBefore(fromStep, store.steps(job.seq), job.error?.step ?? null)
      const changed = changedFields(store.input(job.seq), input)
      for (const { name } of steps) {
        const late = definitionOf(job.type).consumes?.[name]?.filter(field => changed.has(field)) ?? []
        if (late.length > 0) throw new FaultlineError('BAD_REQUEST', `The step ${JSON.stringify(name)} is not run again, so ${late.join(', ')} cannot be overridden.`, 'Leave from_step out.')
      }
      return create(job.type, input, { ...options, retryOf: id, trust: job.trust, steps })
    },

    /** @throws {FaultlineError} JOB_NOT_FINISHED */
    async remove (id: string): Promise<void> {
      await (isTerminal(need(id).status) ? running.get(id)?.settled : undefined) // a cancelled job may still be putting its tools down
      const job = need(id)
      if (!isTerminal(job.status)) throw new FaultlineError('JOB_NOT_FINISHED', `The job ${id} is ${job.status}.`, 'POST /jobs/{id}/cancel ends it.')
      store.remove(job.seq)
    },

    /** All events after `after`. */
    events: (id: string, after: number): JobEvent[] => store.events(need(id).seq, after, -1),

    /** The events after `after`, then the live ones, until the job is terminal and all were given, or the signal fires. */
    async * follow (id: string, after: number, signal: AbortSignal): AsyncGenerator<JobEvent> {
      let last = after
      while (!signal.aborted) {
        const job = store.find(id)
        if (job === null) return
        const events = store.events(job.seq, last, EVENT_PAGE)
        for (const event of events) {
          yield event
          last = event.id
        }
        if (events.length > 0) continue
        if (isTerminal(job.status)) return
        await nextChange(id, FOLLOW_TURN_MS, signal)
      }
    },

    /** Takes up what a former process left and begins to run jobs. */
    start (): void {
      store.recover()
      started = true
      const prune = () => {
        if (!stopping && store.prune(retentionDays) > 0) setImmediate(prune) // a batch at a time, requests in between
      }
      prune()
      pruning = setInterval(prune, PRUNE_INTERVAL_MS)
      pruning.unref()
      schedule()
    },

    /** Stops: running jobs go back into the queue with their finished steps and go on after the next start. */
    stop (): Promise<void> {
      stopped ??= stopOnce()
      return stopped
    },
  }
}

/** The steps to keep; the step that failed, which has no output, can be named as well as a finished one. */
function stepsBefore (name: string, steps: FinishedStep[], failedStep: string | null): FinishedStep[] {
  const at = steps.findIndex(step => step.name === name)
  if (at >= 0) return steps.slice(0, at)
  if (name === failedStep) return steps
  const known = [...steps.map(step => step.name), failedStep].filter(step => step !== null)
  throw new FaultlineError('BAD_REQUEST', `The job never got to a step ${JSON.stringify(name)}.`, `Its steps are: ${known.join(', ') || 'none'}.`)
}

function changedFields (before: JsonObject, after: JsonObject): Set<string> {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return new Set(fields.filter(field => JSON.stringify(before[field]) !== JSON.stringify(after[field])))
}

function toJobError (error: unknown, step: string | null): JobError {
  if (error instanceof FaultlineError) return { code: error.code, message: error.message, step, ...(error.fix === undefined ? {} : { fix: error.fix }) }
  return { code: 'INTERNAL', message: 'Something broke here; the log of the server has it under this job id.', step }
}
