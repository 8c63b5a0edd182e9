import { EventEmitter } from 'node:events'
import type { DatabaseSync } from 'node:sqlite'
import { FaultlineError } from '../core/errors.ts'
import { isTerminal, type Job, type JobError, type JobEvent, type JobStatus, type JobType, type Json, type JsonObject, type Progress, type Usage } from '../core/job.ts'
import { createJobStore, type JobFilter, type NewJob, type StoredJob } from './job-store.ts'

/** What a pipeline gets to work with. */
export interface JobContext<Input = JsonObject> {
  readonly id: string
  readonly input: Input
  /** Fires when the job is cancelled and when the server stops. */
  readonly signal: AbortSignal
  /**
   * Runs a named step once: its output is stored, and after a crash the stored output is returned instead. A step that a crash cut
   * off runs again, so it must be idempotent. Outputs go through JSON: no Date, Map or class.
   */
  step<T> (name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T>
  progress (progress: Progress): void
  log (text: string): void
  addUsage (usage: Usage): void
}

export interface JobDefinition {
  /** Gives the result of the job, which goes through JSON. */
  run (context: JobContext): Promise<unknown>
  /** Jobs with equal keys run one after the other; null: any number at once. */
  exclusiveKey (input: JsonObject): string | null
  projectName (input: JsonObject): string | null
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
  trust?: 'trusted' | 'untrusted'
}

export type Jobs = ReturnType<typeof createJobs>

const PROGRESS_INTERVAL_MS = 250
const PRUNE_INTERVAL_MS = 3_600_000
const STOP_GRACE_MS = 8_000
const EVENT_PAGE = 200

interface Run { controller: AbortController, job: StoredJob, settled: Promise<void> }

/**
 * Durable jobs in one process: jobs, events and finished steps are rows of one SQLite file, a pipeline is a plain async function that
 * is run again from the top after a crash and gets the stored output of every step that had finished.
 */
export function createJobs ({ db, definitions, concurrency, queueLimit, retentionDays, onError, now = () => new Date() }: JobsOptions) {
  const store = createJobStore(db, now)
  const running = new Map<string, Run>()
  const changes = new EventEmitter().setMaxListeners(0)
  let stopping = false
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

  function nextJob (): StoredJob | null {
    if (!started || stopping || running.size >= concurrency) return null
    const busyKeys = new Set<string>()
    const runsByProject = new Map<string, number>()
    for (const { job } of running.values()) {
      if (job.exclusiveKey !== null) busyKeys.add(job.exclusiveKey)
      runsByProject.set(job.projectName ?? '', (runsByProject.get(job.projectName ?? '') ?? 0) + 1)
    }
    let best: StoredJob | null = null
    let fewest = Infinity
    for (const job of store.queued()) {
      const runs = runsByProject.get(job.projectName ?? '') ?? 0
      if ((job.exclusiveKey === null || !busyKeys.has(job.exclusiveKey)) && runs < fewest) { best = job; fewest = runs }
    }
    return best
  }

  function start (job: StoredJob): void {
    const controller = new AbortController()
    if (!store.transition(job, ['queued'], 'running')) return
    const settled = execute(job, controller.signal).catch(error => onError(error, job)).finally(() => {
      running.delete(job.id)
      announce(job.id)
      schedule()
    })
    running.set(job.id, { controller, job, settled })
    announce(job.id)
  }

  async function execute (job: StoredJob, signal: AbortSignal): Promise<void> {
    let currentStep: string | null = null
    const context = contextOf(job, signal, name => { currentStep = name })
    try {
      const result = await definitionOf(job.type).run(context)
      store.transition(job, ['running'], 'succeeded', { result: result as Json })
    } catch (error) {
      if (signal.aborted && stopping) {
        store.transition(job, ['running'], 'queued', { note: 'the server is stopping; the job goes on after the restart' })
      } else if (!signal.aborted) { // a cancelled job was marked so when it was cancelled
        if (!(error instanceof FaultlineError)) onError(error, job)
        store.transition(job, ['running'], 'failed', { error: toJobError(error, currentStep) })
      }
    }
  }

  function contextOf (job: StoredJob, signal: AbortSignal, entered: (step: string) => void): JobContext {
    let lastProgressAt = 0
    let lastStep = ''
    let usage = job.usage
    return {
      id: job.id,
      input: job.input,
      signal,
      async step<T> (name: string, run: (signal: AbortSignal) => Promise<T>): Promise<T> {
        signal.throwIfAborted()
        entered(name)
        const stored = store.stepOutput(job.seq, name)
        if (stored !== undefined) return stored.output as T
        const output = await run(signal)
        signal.throwIfAborted()
        store.finishStep(job.seq, name, output as Json)
        return output
      },
      progress (progress) {
        if (signal.aborted) return
        const finished = progress.total !== null && progress.done >= progress.total
        if (progress.step === lastStep && !finished && performance.now() - lastProgressAt < PROGRESS_INTERVAL_MS) return
        lastProgressAt = performance.now()
        lastStep = progress.step
        store.progress(job.seq, progress)
        announce(job.id)
      },
      log (text) {
        if (signal.aborted) return
        store.log(job.seq, text)
        announce(job.id)
      },
      addUsage (more) {
        usage = {
          llmCalls: usage.llmCalls + more.llmCalls,
          promptTokens: usage.promptTokens + more.promptTokens,
          completionTokens: usage.completionTokens + more.completionTokens,
          usd: more.usd === null ? usage.usd : (usage.usd ?? 0) + more.usd,
        }
        store.addUsage(job.seq, usage)
      },
    }
  }

  /** Resolves true when something of the job changed, false at the time limit or when the caller has gone. */
  function nextChange (id: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    return new Promise(resolve => {
      const end = (changed: boolean) => {
        clearTimeout(timer)
        changes.off(id, onChange)
        signal?.removeEventListener('abort', onAbort)
        resolve(changed)
      }
      const onChange = () => end(true)
      const onAbort = () => end(false)
      const timer = setTimeout(onAbort, Math.max(0, timeoutMs)) // not AbortSignal.timeout: that one does not keep a CLI process alive
      changes.on(id, onChange)
      signal?.addEventListener('abort', onAbort)
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
    const waiting = store.countQueued()
    if (waiting >= queueLimit) throw new FaultlineError('QUEUE_FULL', `${waiting} jobs are waiting already; a new one would be number ${waiting + 1}.`, 'Try again later, or raise QUEUE_LIMIT.')
    const definition = definitionOf(type)
    const { keyName = null, ...rest } = options
    const made = store.create({ type, input, projectName: definition.projectName(input), exclusiveKey: definition.exclusiveKey(input), keyName, ...rest })
    schedule()
    return { ...made, job: need(made.job.id) }
  }

  return {
    create: (type: JobType, input: JsonObject, options: CreateOptions = {}) => create(type, input, options),
    find: store.find,
    get: need,
    list: (filter: JobFilter, limit: number, before: number | null) => store.list(filter, limit, before),
    steps: (id: string) => store.steps(need(id).seq),
    countActive: store.countActive,
    latest: store.latest,

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
     * the steps before that one are taken over.
     *
     * @throws {FaultlineError} JOB_NOT_FINISHED; BAD_REQUEST when the job never got to `fromStep`.
     */
    retry (id: string, input: JsonObject, { fromStep, ...options }: CreateOptions & { fromStep?: string } = {}): { job: StoredJob, replayed: boolean } {
      const job = need(id)
      if (!isTerminal(job.status)) throw new FaultlineError('JOB_NOT_FINISHED', `The job ${id} is ${job.status}.`, 'POST /jobs/{id}/cancel ends it.')
      return create(job.type, input, { ...options, retryOf: id, trust: job.trust, steps: fromStep === undefined ? [] : stepsBefore(fromStep, store.steps(job.seq)) })
    },

    /** @throws {FaultlineError} JOB_NOT_FINISHED */
    remove (id: string): void {
      const job = need(id)
      if (!isTerminal(job.status) || running.has(id)) throw new FaultlineError('JOB_NOT_FINISHED', `The job ${id} is ${job.status}.`, 'POST /jobs/{id}/cancel ends it.')
      store.remove(job.seq)
    },

    events: (id: string, after: number, limit = EVENT_PAGE): JobEvent[] => store.events(need(id).seq, after, limit),

    /** The events after `after`, then the live ones, until the job is terminal and all were given, or the signal fires. `null` is a heartbeat. */
    async * follow (id: string, after: number, heartbeatMs: number, signal: AbortSignal): AsyncGenerator<JobEvent | null> {
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
        if (!await nextChange(id, heartbeatMs, signal) && !signal.aborted) yield null
      }
    },

    /** Takes up what a former process left and begins to run jobs. */
    start (): void {
      store.recover()
      started = true
      const prune = () => { while (store.prune(retentionDays) === 200); }
      prune()
      pruning = setInterval(prune, PRUNE_INTERVAL_MS)
      pruning.unref()
      schedule()
    },

    counts: () => ({ queued: store.countQueued(), running: running.size }),

    /** Stops: running jobs go back into the queue with their finished steps and go on after the next start. */
    async stop (): Promise<void> {
      stopping = true
      clearInterval(pruning)
      const runs = [...running.values()]
      for (const { controller } of runs) controller.abort()
      await Promise.race([Promise.allSettled(runs.map(run => run.settled)), new Promise(resolve => setTimeout(resolve, STOP_GRACE_MS).unref())])
    },
  }
}

function stepsBefore (name: string, steps: Array<{ name: string, output: Json }>): Array<{ name: string, output: Json }> {
  const at = steps.findIndex(step => step.name === name)
  if (at >= 0) return steps.slice(0, at)
  throw new FaultlineError('BAD_REQUEST', `The job has no finished step ${JSON.stringify(name)}.`, `Its steps are: ${steps.map(step => step.name).join(', ') || 'none'}.`)
}

function toJobError (error: unknown, step: string | null): JobError {
  if (error instanceof FaultlineError) return { code: error.code, message: error.message, step, ...(error.fix === undefined ? {} : { fix: error.fix }) }
  return { code: 'INTERNAL', message: 'Something broke here; the log of the server has it under this job id.', step }
}
