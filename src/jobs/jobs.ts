import type { DatabaseSync } from 'node:sqlite'
import { FaultlineError } from '../core/errors.ts'
import { isTerminal, type JobEvent, type JobStatus, type JobType, type JsonObject } from '../core/job.ts'
import { budgetOf } from './budget.ts'
import { createFollowers } from './followers.ts'
import { createJobContext, type JobContext } from './job-context.ts'
import { createJobStore, type JobFilter, type NewJob } from './job-store.ts'
import { packJson } from './packed-json.ts'
import { prune } from './retention.ts'
import type { StoredJob } from './rows.ts'
import { createScheduler } from './scheduler.ts'
import { changedFields, stepsBefore } from './steps.ts'
import { createTranscript } from './transcript.ts'
import { checkReply, type Expired, type ReplyBody } from './waiting.ts'

export interface JobDefinition {
  /** Gives the result of the job, which goes through JSON. */
  run (context: JobContext): Promise<unknown>
  /** Jobs with equal keys run one after the other; null: any number at once. */
  exclusiveKey (input: JsonObject): string | null
  projectName (input: JsonObject): string | null
  /** By step, the fields of the body that its stored output depends on: they cannot be overridden when the step is not run again. */
  consumes?: Record<string, readonly string[]>
}

export type JobDefinitions = Partial<Record<JobType, JobDefinition>>

export interface JobsOptions {
  db: DatabaseSync
  definitions: JobDefinitions
  concurrency: number
  queueLimit: number
  retentionDays: number
  /** How long a job waits for a person. */
  replyTimeoutDays: number
  /** Whether prices of models are known, so that a budget in USD can be kept. */
  knowsPrices: boolean
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

const DAY_MS = 86_400_000
const PRUNE_INTERVAL_MS = 3_600_000
const EXPIRY_INTERVAL_MS = 60_000

/**
 * Durable jobs in one process: jobs, events and finished steps are rows of one SQLite file, a pipeline is a plain async function that
 * is run again from the top after a crash or a wait and gets the stored output of every step that had finished.
 */
export function createJobs ({ db, definitions, concurrency, queueLimit, retentionDays, replyTimeoutDays, knowsPrices, onError, now = () => new Date() }: JobsOptions) {
  const store = createJobStore(db, now)
  const transcript = createTranscript(db, now)
  const followers = createFollowers(store, need)
  const { announce, waitUntil } = followers
  const scheduler = createScheduler({
    store,
    concurrency,
    contextFor: ({ job, ...run }) => createJobContext({
      ...run,
      job,
      store,
      record: (step, entry) => transcript.add(job.seq, step, entry),
      changed: () => announce(job.id),
      onError: error => onError(error, job),
    }),
    run: (type, context) => definitionOf(type).run(context),
    announce,
    onError,
  })
  const upkeep: NodeJS.Timeout[] = []

  function definitionOf (type: JobType): JobDefinition {
    const definition = definitions[type]
    if (definition === undefined) throw new Error(`no pipeline is defined for jobs of type ${type}`)
    return definition
  }

  function need (id: string): StoredJob {
    const job = store.find(id)
    if (job === null) throw new FaultlineError('JOB_NOT_FOUND', `There is no job ${JSON.stringify(id)}.`, 'GET /jobs lists the jobs.')
    return job
  }

  function needEnded (id: string): StoredJob {
    const job = need(id)
    if (!isTerminal(job.status)) throw new FaultlineError('JOB_NOT_FINISHED', `The job ${id} is ${job.status}.`, 'POST /jobs/{id}/cancel ends it.')
    return job
  }

  function create (type: JobType, input: JsonObject, options: CreateOptions & Pick<NewJob, 'retryOf' | 'kept'> = {}): { job: StoredJob, replayed: boolean } {
    if (scheduler.isStopping()) throw new FaultlineError('SHUTTING_DOWN', 'The server is stopping.', 'Send the request again in a few seconds.')
    const definition = definitionOf(type)
    const { keyName = null, ...rest } = options
    const made = store.create({
      type, input, keyName, projectName: definition.projectName(input), exclusiveKey: definition.exclusiveKey(input), budget: budgetOf(input.budget, knowsPrices), ...rest,
    }, { limit: queueLimit, retryAfterS: scheduler.retryAfterS })
    scheduler.schedule()
    return { ...made, job: need(made.job.id) }
  }

  /** Lets jobs that nobody answered go on to their end: their bodies are told, so that whoever waits for a callback is, too. */
  function expire (): void {
    const since = new Date(now().getTime() - replyTimeoutDays * DAY_MS)
    for (const { job, since: asked } of store.unanswered(since)) {
      const reply: Expired & JsonObject = { expired: true, since: asked }
      store.answer(job, { reply, budget: null, note: 'nobody replied in time' }, () => {})
      announce(job.id)
    }
    scheduler.schedule()
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

    /**
     * Answers what a waiting job asks; it goes back into the queue, which is never too full for it.
     *
     * @throws {FaultlineError} NOT_WAITING, WRONG_REPLY with what is allowed; VALIDATION_FAILED for what is not one reply.
     */
    reply (id: string, body: ReplyBody, keyName: string | null): StoredJob {
      const job = need(id)
      const reply = checkReply(job, body)
      const { asked, request } = job
      const budget = 'budget' in reply ? budgetOf({ ...job.budget, ...reply.budget }, knowsPrices) : null
      const isAnswered = asked !== null && request !== null && store.answer(job, { reply, budget, note: 'answered' }, () => {
        transcript.add(job.seq, asked, { kind: 'question', name: asked, request })
        transcript.add(job.seq, asked, { kind: 'answer', name: asked, keyName, reply })
      })
      if (!isAnswered) throw new FaultlineError('NOT_WAITING', `The job ${id} does not wait any more.`)
      announce(id)
      scheduler.schedule()
      return need(id)
    },

    /** Ends a job at once, whatever it is doing; what it has kept stays. @throws {FaultlineError} JOB_FINISHED */
    cancel (id: string): StoredJob {
      const job = need(id)
      if (!store.transition(job, ['queued', 'running', 'waiting'], 'cancelled')) {
        throw new FaultlineError('JOB_FINISHED', `The job ${id} has ended already: ${job.status}.`, 'POST /jobs/{id}/retry starts it again.')
      }
      scheduler.abort(id)
      announce(id)
      return need(id)
    },

    /**
     * Starts an ended job again as a new one; `input` is the old one with the overrides applied, checked by the caller. With `fromStep`
     * the steps and replies before that one are taken over, and what they were made from cannot be overridden.
     *
     * @throws {FaultlineError} JOB_NOT_FINISHED; BAD_REQUEST when the job never got to `fromStep`, or an override came too late for it.
     */
    retry (id: string, input: JsonObject, { fromStep, ...options }: CreateOptions & { fromStep?: string } = {}): { job: StoredJob, replayed: boolean } {
      const job = needEnded(id)
      const steps = fromStep === undefined ? [] : stepsBefore(fromStep, store.steps(job.seq), job.error?.step ?? null)
      const changed = changedFields(store.input(job.seq), input)
      for (const { name } of steps) {
        const late = definitionOf(job.type).consumes?.[name]?.filter(field => changed.has(field)) ?? []
        if (late.length > 0) throw new FaultlineError('BAD_REQUEST', `The step ${JSON.stringify(name)} is not run again, so ${late.join(', ')} cannot be overridden.`, 'Leave from_step out.')
      }
      const last = steps.at(-1)
      const kept = last === undefined ? undefined : { from: job.seq, before: last.position + 1, adopt: () => {} }
      return create(job.type, input, { ...options, retryOf: id, trust: job.trust, kept })
    },

    /** @throws {FaultlineError} JOB_NOT_FINISHED */
    async remove (id: string): Promise<void> {
      needEnded(id)
      await scheduler.settled(id) // a cancelled job may still be putting its tools down
      db.prepare('DELETE FROM jobs WHERE seq = ?').run(needEnded(id).seq)
    },

    /** All events after `after`. */
    events: (id: string, after: number): JobEvent[] => store.events(need(id).seq, after, -1),
    follow: followers.follow,

    /** Takes up what a former process left and begins to run jobs. */
    start (): void {
      store.recover()
      const pruneAll = () => {
        if (!scheduler.isStopping() && prune(db, now(), retentionDays) > 0) setImmediate(pruneAll) // a batch at a time, requests in between
      }
      pruneAll()
      expire()
      upkeep.push(setInterval(pruneAll, PRUNE_INTERVAL_MS), setInterval(expire, EXPIRY_INTERVAL_MS))
      for (const timer of upkeep) timer.unref()
      scheduler.start()
    },

    /** Stops: running jobs go back into the queue with their finished steps and go on after the next start. */
    stop (): Promise<void> {
      for (const timer of upkeep) clearInterval(timer)
      return scheduler.stop()
    },
  }
}
