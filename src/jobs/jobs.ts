import type { DatabaseSync } from 'node:sqlite'
import type { Readable } from 'node:stream'
import type { ReplyBody } from '../contract/job.ts'
import { FaultlineError } from '../core/errors.ts'
import {
  isTerminal,
  type JobError,
  type JobEvent,
  type JobFile,
  type JobStatus,
  type JobType,
  type JsonObject,
} from '../core/job.ts'
import { budgetOf, checkRaised } from './budget.ts'
import { createFollowers } from './followers.ts'
import { createJobContext, type JobContext } from './job-context.ts'
import { archiveOf } from './files/archive.ts'
import { createJobFiles } from './files/job-files.ts'
import { createJobFolders } from './files/job-folders.ts'
import { createJobStore, type JobFilter, type NewJob } from './store/job-store.ts'
import { createJobTexts, type TextKind } from './store/job-texts.ts'
import { packJson } from './store/packed-json.ts'
import { createRetention } from './retention.ts'
import { stepsToKeep } from './retry.ts'
import type { StoredJob } from './store/rows.ts'
import { createScheduler } from './run/scheduler.ts'
import { createTranscript } from './store/transcript.ts'
import { createUpkeep } from './upkeep.ts'
import { checkReply } from './waiting.ts'

export interface JobDefinition {
  /** Gives the result of the job, which goes through JSON. */
  run(context: JobContext): Promise<unknown>
  /**
   * Tells others that it fails, before that is marked; again when the server ended in between. The body is not run
   * again then.
   */
  failing?: (context: JobContext, error: JobError) => Promise<void>
  /** Jobs with equal keys run one after the other; null: any number at once. */
  exclusiveKey(input: JsonObject): string | null
  projectName(input: JsonObject): string | null
  /**
   * By step, the fields of the body that its stored output depends on: they cannot be overridden when the step is not
   * run again.
   */
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
  /** Files and workspaces of jobs lie below it, in a folder for each. */
  workspacesDir: string
  /** Bytes that jobs may take, in files and in the database, before ended ones are forgotten, the oldest first. */
  retentionBytes: number
  /** Deletes a folder, whatever was left in it; default: as far as this process may. */
  removeFolder?: (dir: string) => Promise<void>
  /** Told of bugs and of what broke; `job` is null when it was not the work of one. */
  onError: (error: unknown, job: { id: string; type: JobType } | null) => void
  now?: () => Date
  /** How long a body may go on after its signal before its slot is given to another job; default 10 s. */
  graceMs?: number
}

export interface CreateOptions {
  keyName?: string | null
  idempotency?: NewJob['idempotency']
  packed?: NewJob['packed']
  trust?: 'trusted' | 'untrusted'
}

export type Jobs = ReturnType<typeof createJobs>

/**
 * Durable jobs in one process: jobs, events and finished steps are rows of one SQLite file, a pipeline is a plain async
 * function that is run again from the top after a crash or a wait and gets the stored output of every step that had
 * finished.
 */
export function createJobs({
  db,
  definitions,
  concurrency,
  queueLimit,
  retentionDays,
  retentionBytes,
  replyTimeoutDays,
  knowsPrices,
  workspacesDir,
  removeFolder,
  onError,
  now = () => new Date(),
  graceMs,
}: JobsOptions) {
  const store = createJobStore(db, now, seq => scheduler.positionOf(seq))
  const transcript = createTranscript(db, now)
  const folders = createJobFolders({ root: workspacesDir, removeFolder })
  const files = createJobFiles({ db, folderOf: folders.of, nextPosition: store.nextPosition })
  const texts = createJobTexts(db, store.nextPosition)
  const retention = createRetention({
    db,
    now,
    days: retentionDays,
    bytes: retentionBytes,
    removeFolder: folders.remove,
    isInUse: id => scheduler.settled(id) !== undefined,
  })
  const followers = createFollowers(store, need)
  const { announce, waitUntil } = followers
  const scheduler = createScheduler({
    store,
    concurrency,
    contextFor: ({ job, ...run }) =>
      createJobContext({
        ...run,
        job,
        store,
        record: (step, entry) => transcript.add(job.seq, step, entry),
        files: files.of(job),
        setText: (kind, text) => texts.set(job.seq, kind, text),
        workspace: name => folders.workspace(job.id, name),
        changed: () => announce(job.id),
        onError: error => onError(error, job),
      }),
    async run(type, context) {
      await upkeep.swept() // what a dead process left is not mistaken for what this one makes
      context.signal.throwIfAborted()
      files.dropUnfinished(need(context.id).seq)
      return definitionOf(type).run(context)
    },
    failing: type => definitionOf(type).failing ?? null,
    // the next start tries again
    cleanUp: job => folders.removeWorkspaces(job.id).catch((error: unknown) => onError(error, job)),
    announce,
    onError,
    graceMs,
  })
  const upkeep = createUpkeep({
    store,
    scheduler,
    folders,
    retention,
    announce,
    replyTimeoutDays,
    now,
    onError: error => onError(error, null),
  })

  function definitionOf(type: JobType): JobDefinition {
    const definition = definitions[type]
    if (definition === undefined) throw new Error(`no pipeline is defined for jobs of type ${type}`)
    return definition
  }

  function need(id: string): StoredJob {
    const job = store.find(id)
    if (job === null) {
      throw new FaultlineError('JOB_NOT_FOUND', `There is no job ${JSON.stringify(id)}.`, 'GET /jobs lists the jobs.')
    }
    return job
  }

  function needEnded(id: string): StoredJob {
    const job = need(id)
    if (!isTerminal(job.status)) {
      throw new FaultlineError('JOB_NOT_FINISHED', `The job ${id} is ${job.status}.`, 'POST /jobs/{id}/cancel ends it.')
    }
    return job
  }

  function create(
    type: JobType,
    input: JsonObject,
    options: CreateOptions & Pick<NewJob, 'retryOf' | 'kept'> = {},
  ): { job: StoredJob; replayed: boolean } {
    if (scheduler.isStopping()) {
      throw new FaultlineError('SHUTTING_DOWN', 'The server is stopping.', 'Send the request again in a few seconds.')
    }
    const definition = definitionOf(type)
    const { keyName = null, ...rest } = options
    const made = store.create(
      {
        type,
        input,
        keyName,
        projectName: definition.projectName(input),
        exclusiveKey: definition.exclusiveKey(input),
        budget: budgetOf(input.budget, knowsPrices),
        ...rest,
      },
      { limit: queueLimit, retryAfterS: scheduler.retryAfterS },
    )
    scheduler.schedule()
    return { ...made, job: need(made.job.id) }
  }

  /** Hands on what a job kept before its step number `before`. */
  function adoptFrom(job: StoredJob, before: number) {
    return (made: { id: string; seq: number }) => {
      files.adopt(job, made, before)
      texts.adopt(job.seq, made.seq, before)
    }
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

    /**
     * Waits until the job is terminal or waits for a person; gives back the job as it is at the time limit otherwise.
     */
    settled: (id: string, timeoutMs: number, signal?: AbortSignal) =>
      waitUntil(id, job => isTerminal(job.status) || job.status === 'waiting', timeoutMs, signal),

    /** Waits until the status is another one than now; a terminal job is given back at once. */
    statusChanged(id: string, timeoutMs: number, signal?: AbortSignal): Promise<StoredJob> {
      const before: JobStatus = need(id).status
      return waitUntil(id, job => job.status !== before || isTerminal(job.status), timeoutMs, signal)
    },

    /**
     * Answers what a waiting job asks; it goes back into the queue, which is never too full for it.
     *
     * @throws {FaultlineError} NOT_WAITING, WRONG_REPLY with what is allowed, also for a budget that is used up
     * already; VALIDATION_FAILED for what is not one reply.
     */
    reply(id: string, body: ReplyBody, keyName: string | null): StoredJob {
      const job = need(id)
      const reply = checkReply(job, body)
      const { asked, request } = job
      const budget = 'budget' in reply ? budgetOf({ ...job.budget, ...reply.budget }, knowsPrices) : null
      if (budget !== null) checkRaised(job, budget)
      const isAnswered =
        asked !== null &&
        request !== null &&
        store.answer(job, { reply, budget, note: 'answered' }, () => {
          transcript.add(job.seq, asked, { kind: 'question', name: asked, request })
          transcript.add(job.seq, asked, { kind: 'answer', name: asked, keyName, reply })
        })
      if (!isAnswered) throw new FaultlineError('NOT_WAITING', `The job ${id} does not wait any more.`)
      announce(id)
      scheduler.schedule()
      return need(id)
    },

    /** Ends a job at once, whatever it is doing; what it has kept stays. @throws {FaultlineError} JOB_FINISHED */
    cancel(id: string): StoredJob {
      const job = need(id)
      if (!store.transition(job, ['queued', 'running', 'waiting'], 'cancelled', { step: scheduler.stepOf(id) })) {
        throw new FaultlineError(
          'JOB_FINISHED',
          `The job ${id} has ended already: ${job.status}.`,
          'POST /jobs/{id}/retry starts it again.',
        )
      }
      scheduler.abort(id)
      announce(id)
      return need(id)
    },

    /**
     * Starts an ended job again as a new one; `input` is the old one with the overrides applied, checked by the caller.
     * With `fromStep` the steps and replies before that one are taken over, and what they were made from cannot be
     * overridden.
     *
     * @throws {FaultlineError} JOB_NOT_FINISHED; BAD_REQUEST when the job never got to `fromStep`, or an override came
     * too late for it.
     */
    retry(
      id: string,
      input: JsonObject,
      { fromStep, ...options }: CreateOptions & { fromStep?: string } = {},
    ): { job: StoredJob; replayed: boolean } {
      const job = needEnded(id)
      const earlier = {
        steps: store.steps(job.seq),
        lastStep: job.lastStep ?? job.error?.step ?? null,
        input: store.input(job.seq),
      }
      const steps = stepsToKeep(earlier, input, fromStep, definitionOf(job.type).consumes)
      const last = steps.at(-1)
      const kept =
        last === undefined
          ? undefined
          : { from: job.seq, before: last.position + 1, adopt: adoptFrom(job, last.position + 1) }
      return create(job.type, input, { ...options, retryOf: id, trust: job.trust, kept })
    },

    /** @throws {FaultlineError} JOB_NOT_FINISHED */
    async remove(id: string): Promise<void> {
      needEnded(id)
      await scheduler.settled(id) // a cancelled job may still be putting its tools down
      await retention.remove(needEnded(id))
    },

    /** The files that the job keeps. */
    files: (id: string): JobFile[] => files.list(need(id).seq),
    /** @throws {FaultlineError} NOT_FOUND */
    readFile: (id: string, path: string): Promise<Buffer> => files.read(need(id), path),
    /** A `.tar.gz` of the files. @throws {FaultlineError} NOT_FOUND when there are none. */
    archive(id: string): Readable {
      const kept = files.list(need(id).seq)
      if (kept.length === 0) throw new FaultlineError('NOT_FOUND', `The job ${id} keeps no files.`)
      return archiveOf(kept, file => files.readStored(id, file))
    },
    /** @throws {FaultlineError} NOT_FOUND when the job has none. */
    text(id: string, kind: TextKind): string {
      const text = texts.get(need(id).seq, kind)
      if (text === null) throw new FaultlineError('NOT_FOUND', `The job ${id} has no ${kind}.`)
      return text
    },
    /** What it was asked to do and by whom, then everything that was said and run. */
    transcript: (id: string) => ({ job: need(id), entries: transcript.all(need(id).seq) }),

    /** All events after `after`. */
    events: (id: string, after: number): JobEvent[] => store.events(need(id).seq, after, -1),
    follow: followers.follow,
    /** Number of the latest event. */
    lastEvent: (id: string): number => store.lastEvent(need(id).seq),
    /** How much a reader who has everything up to event `after` still has to get; nothing of a job that is gone. */
    eventsAfter(id: string, after: number): { events: number; chars: number } {
      const job = store.find(id)
      return job === null ? { events: 0, chars: 0 } : store.behind(job.seq, after)
    },

    /** How many jobs there are, by type and status. */
    counts: store.counts,
    running: scheduler.runs,
    /** Bytes of jobs in files and in the database. */
    usedBytes: retention.usedBytes,

    /** Takes up what a former process left and begins to run jobs. */
    start(): void {
      store.recover()
      upkeep.start()
      scheduler.start()
    },

    /** Stops: running jobs go back into the queue with their finished steps and go on after the next start. */
    stop(): Promise<void> {
      upkeep.stop()
      return scheduler.stop()
    },
  }
}
