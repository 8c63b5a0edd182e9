import type { Database } from '../../../postgres/database.ts'
import type { QueueHead } from '../../store/job-store.ts'
import { MAX_BESIDE, MAX_RETRY_AFTER_S, RETRY_MS, type Begin, type HandOut, type HandOutOptions } from '../hand-out.ts'
import { JOBS_QUEUE, type EntryQueue, type HeldEntry } from './entry-queue.ts'

interface PgBossHandOutOptions extends HandOutOptions {
  db: Database
  queue: EntryQueue
  /** The schema of pg-boss's tables. */
  schema: string
  /** Tells all nodes that there is something to run; calls what `start` was given on each. */
  wakeAll: () => void
}

/**
 * Behind the notifications: each time one free slot of each queue looks, the one that looked longest ago. If all did,
 * nodes without work would keep the database busy. A job that waits for its key to be free may be found by it.
 */
const LOOK_MS = 500
/** Behind that, as pg-boss has its workers poll. */
const POLL_S = 10
/** How old the order of the queue and the pace may be. */
const FRESH_MS = 1_000
const PACE_WINDOW_S = 600
/** How often jobs without an entry are looked for. */
const REPAIR_MS = 60_000
/** How often jobs are looked for that wait for a node which is gone. */
const TAKE_OVER_MS = 5_000

/** Keeps an answer of the database for a moment; whoever asks meanwhile waits for the same. */
function kept<T>(look: () => Promise<T>): () => Promise<T> {
  let answer: { at: number; value: Promise<T> } | null = null
  return () => {
    if (answer === null || performance.now() - answer.at > FRESH_MS) {
      const value = look()
      const own = { at: performance.now(), value }
      answer = own
      value.catch(() => {
        if (answer === own) answer = null // the next one asks again
      })
    }
    return answer.value
  }
}

/** Said of an entry that is given back at once. */
class NotNow extends Error {}

/** Queues whose jobs count together. */
interface Lane {
  queues: readonly string[]
  /** How many jobs of it run at once. */
  places: number
}

/** A place for one job; pg-boss calls what polls for it a worker. */
interface Slot {
  lane: Lane
  queue: string
  /** Of the worker; empty until it is made. */
  id: string
  isBusy: boolean
  isClosed: boolean
}

/**
 * Hands out the jobs of a database that several nodes work on: pg-boss gives each entry to one of their slots. Turns
 * are given when a job becomes queued (`entry-queue.ts`).
 */
export class PgBossHandOut implements HandOut {
  readonly redelivers = true
  readonly #options: PgBossHandOutOptions
  readonly #lanes: readonly Lane[]
  readonly #slots = new Set<Slot>()
  readonly #order: () => Promise<ReadonlyMap<number, number>>
  readonly #pace: () => Promise<number>
  #retryAfterS = 1
  #begin: Begin | null = null
  #isStopped = false
  #changing: Promise<void> = Promise.resolve()
  #timers: NodeJS.Timeout[] = []

  constructor(options: PgBossHandOutOptions) {
    this.#options = options
    this.#lanes = [
      { queues: [JOBS_QUEUE], places: options.concurrency },
      { queues: options.queue.besideQueues, places: MAX_BESIDE },
    ]
    this.#order = kept(() => this.#readOrder())
    this.#pace = kept(() => this.#readPace())
  }

  async start(begin: Begin): Promise<void> {
    this.#begin = begin
    await this.#repair()
    await this.#openSlots()
    this.#timers = [
      setInterval(() => this.#openSlots(), RETRY_MS).unref(),
      setInterval(() => this.#repair(), REPAIR_MS).unref(),
      setInterval(() => this.#wakeIf(({ queue, db }) => queue.takeOver(db)), TAKE_OVER_MS).unref(),
      setInterval(() => this.#lookInTurn(), LOOK_MS).unref(),
    ]
  }

  /** A job became queued: the slots of all nodes look at once. */
  async wake(): Promise<void> {
    this.#options.wakeAll()
  }

  /** Lets the slots of this process look at once. */
  look(): void {
    for (const { id } of this.#slots) this.#options.queue.boss.notifyWorker(id)
  }

  /** Lets one free slot of each queue look. */
  #lookInTurn(): void {
    for (const queue of this.#lanes.flatMap(({ queues }) => queues)) {
      const slot = [...this.#slots].find(one => one.queue === queue && !one.isBusy)
      if (slot === undefined) continue
      this.#slots.delete(slot) // a set keeps its order: it is the last one now
      this.#slots.add(slot)
      this.#options.queue.boss.notifyWorker(slot.id)
    }
  }

  stop(): void {
    this.#isStopped = true
    for (const timer of this.#timers) clearInterval(timer)
    this.#closeSlots()
  }

  async positionOf(seq: number): Promise<number> {
    return (await this.#order()).get(seq) ?? 0
  }

  retryAfterS(): number {
    this.#pace().then(
      seconds => {
        this.#retryAfterS = seconds
      },
      () => {}, // the one before is as good
    )
    return this.#retryAfterS
  }

  #repair(): Promise<void> {
    return this.#wakeIf(async ({ queue, db }) => {
      await queue.keepOwn(db)
      return await queue.repair(db)
    })
  }

  /** Lets all look whether there is something to run. Never fails: the next time does what this one did not. */
  async #wakeIf(found: (options: PgBossHandOutOptions) => Promise<number>): Promise<void> {
    try {
      if ((await found(this.#options)) > 0) await this.wake()
    } catch (error) {
      this.#options.onError(error)
    }
  }

  /** Opens the slots that are missing, as long as jobs may begin here. */
  #openSlots(): Promise<void> {
    this.#changing = this.#changing.then(async () => {
      const { mayBegin, onError } = this.#options
      try {
        const missing = this.#lanes.flatMap(lane => this.#missing(lane))
        if (missing.length === 0 || (await mayBegin?.()) === false) return
        for (const { lane, queue } of missing) await this.#openSlot(lane, queue)
        this.#closeIdle()
      } catch (error) {
        onError(error)
      }
    })
    return this.#changing
  }

  #busyIn(lane: Lane): number {
    return [...this.#slots].filter(slot => slot.lane === lane && slot.isBusy).length
  }

  /** A queue for each slot that is missing: each may take as many jobs as its lane has places left. */
  #missing(lane: Lane): Array<{ lane: Lane; queue: string }> {
    const free = lane.places - this.#busyIn(lane)
    return lane.queues.flatMap(queue => {
      const idle = [...this.#slots].filter(slot => slot.queue === queue && !slot.isBusy).length
      return Array.from({ length: Math.max(0, free - idle) }, () => ({ lane, queue }))
    })
  }

  /** Takes no more for lanes whose places are taken, which have a slot for each of several queues. */
  #closeIdle(): void {
    this.#closeSlots(({ lane, isBusy }) => !isBusy && this.#busyIn(lane) >= lane.places)
  }

  async #openSlot(lane: Lane, queue: string): Promise<void> {
    if (this.#isStopped) return
    const { boss } = this.#options.queue
    const slot: Slot = { lane, queue, id: '', isBusy: false, isClosed: false }
    slot.id = await boss.work<QueueHead>(queue, { pollingIntervalSeconds: POLL_S }, async ([entry]) => {
      if (entry === undefined || slot.isClosed || this.#busyIn(lane) >= lane.places) throw new NotNow()
      slot.isBusy = true
      this.#closeIdle()
      try {
        await this.#run(entry)
        boss.notifyWorker(slot.id) // it looks for the next one at once, also for one that waited for the key
      } finally {
        slot.isBusy = false
        if (slot.isClosed) this.#slots.delete(slot)
        this.#openSlots() // those that were closed meanwhile
      }
    })
    this.#slots.add(slot)
  }

  /** Takes no more entries; jobs that run go on in their slots. */
  #closeSlots(which: (slot: Slot) => boolean = () => true): void {
    const { boss } = this.#options.queue
    for (const slot of this.#slots) {
      if (slot.isClosed || !which(slot)) continue
      slot.isClosed = true
      boss.offWork(slot.queue, { id: slot.id, wait: false }).catch(this.#options.onError)
      if (!slot.isBusy) this.#slots.delete(slot)
    }
  }

  /**
   * Runs the job of an entry, which is gone when the run has ended; where its end could not be written, the entry goes
   * back to the others.
   */
  async #run(entry: HeldEntry): Promise<void> {
    const { queue, mayBegin, onError } = this.#options
    if (this.#begin === null || this.#isStopped) throw new NotNow()
    if ((await mayBegin?.()) === false) {
      this.#closeSlots() // opened again when there is room
      throw new NotNow()
    }
    queue.hold(entry)
    try {
      const run = await this.#begin(entry.data, entry.signal)
      if (run === null && this.#isStopped) throw new NotNow() // nothing says that the job was not to be run
      await run?.over
      if (run?.isEnded === false) throw new NotNow()
    } catch (error) {
      if (!(error instanceof NotNow)) onError(error)
      throw error
    } finally {
      queue.release(entry)
    }
  }

  async #readOrder(): Promise<ReadonlyMap<number, number>> {
    const { rows } = await this.#options.db.query(
      `SELECT (data->>'seq')::bigint AS seq FROM ${this.#options.schema}.job
       WHERE state < 'active' ORDER BY priority DESC, created_on`,
    )
    return new Map(rows.map(({ seq }, position) => [Number(seq), position]))
  }

  /** Seconds between two jobs that end, of late. */
  async #readPace(): Promise<number> {
    const { rows } = await this.#options.db.query(
      `SELECT count(*) AS ended FROM jobs
       WHERE status IN ('succeeded', 'failed', 'cancelled') AND updated_at > now() - $1 * interval '1 second'`,
      [PACE_WINDOW_S],
    )
    const ended = Number(rows[0]?.ended)
    return ended === 0 ? MAX_RETRY_AFTER_S : Math.max(1, Math.ceil(PACE_WINDOW_S / ended))
  }
}
