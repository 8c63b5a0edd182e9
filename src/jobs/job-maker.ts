import { randomUUID } from 'node:crypto'
import type { NotifyEvent } from '../contract/primitives.ts'
import { done, runOf } from '../core/audit.ts'
import { FaultlineError } from '../core/errors.ts'
import type { JobType, JsonObject } from '../core/job.ts'
import { budgetOf } from './budget.ts'
import type { DiskRoom } from './disk-room.ts'
import type { JobFiles } from './files/job-files.ts'
import { needJob } from './followers.ts'
import type { HandOut } from './hand-out/hand-out.ts'
import { definitionOf, type JobDefinitions } from './job-definition.ts'
import { stepsToKeep } from './retry.ts'
import type { JobStore, NewJob, StoredJob } from './store/job-store.ts'
import { taskOf, type FindSource } from './task-of.ts'

/** Who makes a job, and how its request was sent. */
export interface CreateOptions {
  keyName?: string | null
  requestId?: string | null
  idempotency?: NewJob['idempotency']
  packed?: NewJob['packed']
  trust?: 'trusted' | 'untrusted'
}

/** A job that was stored, or the one that the same idempotency key had made. */
export interface MadeJob {
  job: StoredJob
  replayed: boolean
}

/** What a job is made from. */
type JobDraft = Pick<NewJob, 'id' | 'type' | 'input' | 'retryOf' | 'kept'>

interface JobMakerOptions {
  store: JobStore
  definitions: JobDefinitions
  handOut: HandOut
  files: JobFiles
  diskRoom: DiskRoom
  queueLimit: number
  knowsPrices: boolean
  findSource: FindSource
  /** Whether this process takes no more jobs. */
  isClosed: () => boolean
  /** Deletes all that a job keeps beside its rows. */
  removeAll: (id: string) => Promise<void>
}

/** What a body says of notifications; the schema of its route has checked it. */
const notifyOf = ({ notify }: JsonObject): NotifyEvent[] => (Array.isArray(notify) ? (notify as NotifyEvent[]) : [])

/** Makes jobs, new ones and those that go on from a step of an earlier one, and has them handed out. */
export class JobMaker {
  readonly #options: JobMakerOptions
  /** Jobs whose folder is there and whose row is not yet. */
  readonly #inTheMaking = new Set<string>()

  constructor(options: JobMakerOptions) {
    this.#options = options
  }

  /** Whether the folder of this job may be there before its row. */
  isMaking(id: string): boolean {
    return this.#inTheMaking.has(id)
  }

  /** @throws {FaultlineError} as `Jobs.create`. */
  create(type: JobType, input: JsonObject, options: CreateOptions): Promise<MadeJob> {
    return this.#store({ id: randomUUID(), type, input }, options)
  }

  /** @param job - Has ended. @throws {FaultlineError} as `Jobs.retry`. */
  async retry(
    job: StoredJob,
    input: JsonObject,
    { fromStep, ...options }: CreateOptions & { fromStep?: string },
  ): Promise<MadeJob> {
    const { store, definitions } = this.#options
    const { consumes, isWhole = false } = definitionOf(definitions, job.type)
    if (isWhole && fromStep !== undefined) {
      throw new FaultlineError(
        'BAD_REQUEST',
        `A ${job.type} job is tried again as a whole, not from a step.`,
        'Leave from_step out.',
      )
    }
    const earlier = {
      steps: await store.steps.all(job.seq),
      lastStep: job.lastStep ?? job.error?.step ?? null,
      input: await store.input(job.seq),
    }
    const last = stepsToKeep(earlier, input, fromStep, consumes).at(-1)
    const draft = { id: randomUUID(), type: job.type, input, retryOf: job.id }
    const retried = { ...options, trust: job.trust }
    return last === undefined ? this.#store(draft, retried) : this.#storeFrom(job, last.position + 1, draft, retried)
  }

  async #store(draft: JobDraft, { keyName = null, requestId = null, ...options }: CreateOptions): Promise<MadeJob> {
    const { store, definitions, handOut, diskRoom, queueLimit, knowsPrices, findSource, isClosed } = this.#options
    if (isClosed()) {
      throw new FaultlineError('SHUTTING_DOWN', 'The server is stopping.', 'Send the request again in a few seconds.')
    }
    const { type, input } = draft
    const definition = definitionOf(definitions, type)
    const projectName = definition.projectName(input)
    const by = { keyName, requestId }
    const retried = { action: 'job.retry', projectName, target: draft.retryOf ?? null }
    const made = await store.create(
      {
        ...draft,
        ...options,
        ...by,
        projectName,
        audit: [
          ...(draft.retryOf === undefined ? [] : [done(by, retried)]),
          done(by, { action: runOf(type), projectName, target: draft.id }),
        ],
        exclusiveKey: definition.exclusiveKey(input),
        runsOn: definition.runsOn?.(input),
        task: await taskOf({ type, input, projectName }, findSource),
        budget: budgetOf(input.budget, knowsPrices),
        notify: notifyOf(input),
      },
      {
        limit: queueLimit,
        retryAfterS: () => handOut.retryAfterS(),
        refusal: await diskRoom.refusal(),
      },
    )
    await handOut.wake()
    // it may run by now where this process begins it at once
    return handOut.redelivers ? made : { ...made, job: await needJob(store, made.job.id) }
  }

  /** Makes a job that takes over what `from` did before its step number `before`: its bytes come before its row. */
  async #storeFrom(from: StoredJob, before: number, draft: JobDraft, options: CreateOptions): Promise<MadeJob> {
    this.#inTheMaking.add(draft.id)
    let isStored = false
    try {
      await this.#linkFiles(draft.id, from, before)
      const made = await this.#store({ ...draft, kept: { from: from.seq, before } }, options)
      isStored = !made.replayed
      return made
    } finally {
      if (!isStored) await this.#options.removeAll(draft.id)
      this.#inTheMaking.delete(draft.id)
    }
  }

  async #linkFiles(id: string, from: StoredJob, before: number): Promise<void> {
    const { store, files } = this.#options
    try {
      await files.linkTo(id, from, before)
    } catch (error) {
      await needJob(store, from.id) // its files go with it when it is deleted meanwhile
      throw error
    }
  }
}
