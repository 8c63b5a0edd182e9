import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { ResolutionAnswer, SuspectsAnswer } from '../contract/resolution.ts'
import type { ResolutionStore, StoredResolution } from './resolution-store.ts'

/** An answer that is to be kept. */
export interface NewResolution {
  id: string
  /** Names the question, where an equal one may be answered with this; null where it must not be. */
  question: string | null
  /** What was asked about. */
  stackTrace: string
  /** Memory that it takes until it is written. */
  bytes: number
  /** Called once, when there is time: most answers are JSON already, which has to be read. */
  answer: () => ResolutionAnswer
}

interface KeeperOptions {
  store: ResolutionStore
  /** The same data without secrets. */
  redact: <T>(value: T) => T
  /** Resolves when there is time for what nobody waits for. */
  untilCalm: () => Promise<void>
  onFailed: (error: unknown) => void
  retentionDays: number
  now?: () => Date
}

interface Waiting extends NewResolution {
  at: string
  /** What came after it. */
  added: Partial<ResolutionAnswer>
}

const DAY_MS = 86_400_000
const PRUNE_INTERVAL_MS = 3_600_000
/** Forgotten in one transaction. */
const PRUNE_BATCH = 500
/** Written in one transaction, between two turns of the event loop: each is read, cleaned and packed. */
const WRITE_BATCH = 8
/** What waits takes no more memory; beyond it is written at once. */
const MAX_WAITING_BYTES = 8 * 1_048_576
const MAX_TITLE_CHARS = 300
/** A longer one is a log, of which the answer says what was read out of it. */
const MAX_TRACE_CHARS = 131_072

function titleOf({ exceptions }: ResolutionAnswer): string {
  const { type = null, message = null } = exceptions.findLast(({ relation }) => relation === 'root') ?? {}
  const title = [type, message].filter(part => part !== null && part !== '').join(': ')
  return title.replace(/\s+/g, ' ').slice(0, MAX_TITLE_CHARS)
}

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const packed = (answer: ResolutionAnswer): Uint8Array => zstdCompressSync(Buffer.from(JSON.stringify(answer)))

const packedText = (text: string): Uint8Array => zstdCompressSync(Buffer.from(text))

const unpacked = ({ packed }: StoredResolution): ResolutionAnswer =>
  JSON.parse(zstdDecompressSync(packed).toString()) as ResolutionAnswer

/**
 * Keeps answers in a store: one that a model was paid for before it goes out, others a moment later, when nobody waits.
 * Secrets are removed before anything is written. Who asks for one that waits still gets it.
 */
export class ResolutionKeeper {
  readonly #options: Required<KeeperOptions>
  readonly #waiting = new Map<string, Waiting>()
  #waitingBytes = 0
  /** Resolves when too much waits to wait any longer. */
  #crowded = Promise.withResolvers<void>()
  #writing: Promise<void> | null = null
  /** The last of what is done one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  #isClosed = false
  readonly #timer: NodeJS.Timeout

  constructor({ now = () => new Date(), ...options }: KeeperOptions) {
    this.#options = { now, ...options }
    this.#timer = setInterval(() => this.prune(), PRUNE_INTERVAL_MS).unref()
  }

  /** Resolves when it is on the disk. A store that fails costs only this, and is reported. */
  async keepNow(resolution: NewResolution): Promise<void> {
    await this.#write([{ ...resolution, at: this.#options.now().toISOString(), added: {} }])
  }

  /** Keeps it when there is time. */
  keepLater(resolution: NewResolution): void {
    this.#waiting.set(resolution.id, { ...resolution, at: this.#options.now().toISOString(), added: {} })
    this.#waitingBytes += resolution.bytes
    if (this.#waitingBytes >= MAX_WAITING_BYTES) this.#crowded.resolve()
    this.#writing ??= this.#writeWaiting()
  }

  /** Adds the suspects of an answer that went out without them. */
  async addSuspects(suspects: SuspectsAnswer): Promise<void> {
    await this.#add(suspects)
  }

  /** Adds where the fault of an answer comes from. */
  async addOrigin(origin: Pick<ResolutionAnswer, 'id' | 'origin' | 'origin_why'>): Promise<void> {
    await this.#add(origin)
  }

  async #add(more: Partial<ResolutionAnswer> & { id: string }): Promise<void> {
    const waiting = this.#waiting.get(more.id)
    if (waiting !== undefined) {
      Object.assign(waiting.added, more)
      return
    }
    await this.#inTurn(async () => {
      const stored = await this.#options.store.get(more.id)
      if (stored === null || this.#isClosed) return
      const answer = { ...unpacked(stored), ...this.#options.redact(more) }
      await this.#put([{ ...stored, packed: packed(answer) }])
    })
  }

  /** What is read to be written again is not written meanwhile. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#last.then(work)
    this.#last = done.catch(() => {})
    return done
  }

  async get(id: string): Promise<ResolutionAnswer | null> {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) return this.#cleaned(waiting)
    const stored = await this.#options.store.get(id)
    return stored === null ? null : unpacked(stored)
  }

  /** What an answer was asked about; null where that was too long, or there is no such answer. */
  async traceOf(id: string): Promise<string | null> {
    const waiting = this.#waiting.get(id)
    if (waiting !== undefined) return this.#cleanTrace(waiting)
    const { trace = null } = (await this.#options.store.get(id)) ?? {}
    return trace === null ? null : zstdDecompressSync(trace).toString()
  }

  /** The kept answer to an equal question. */
  async answerTo(question: string): Promise<ResolutionAnswer | null> {
    const stored = await this.#options.store.answerTo(question)
    return stored === null ? null : unpacked(stored)
  }

  /** Forgets what is too old, some at a time. */
  async prune(): Promise<void> {
    const { store, now, retentionDays, onFailed } = this.#options
    const before = new Date(now().getTime() - retentionDays * DAY_MS).toISOString()
    try {
      while (!this.#isClosed && (await store.removeBefore(before, PRUNE_BATCH)) > 0) await turn()
    } catch (error) {
      onFailed(error)
    }
  }

  /** Resolves when all that was to be kept is written. */
  async flush(): Promise<void> {
    while (this.#waiting.size > 0) await this.#writeBatch()
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#isClosed = true
    await this.flush()
  }

  async #writeWaiting(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#isClosed) {
      if (this.#waitingBytes < MAX_WAITING_BYTES) {
        this.#crowded = Promise.withResolvers()
        await Promise.race([this.#options.untilCalm(), this.#crowded.promise])
      }
      await turn()
      await this.#writeBatch()
    }
    this.#writing = null
  }

  async #writeBatch(): Promise<void> {
    const batch = [...this.#waiting.values()].slice(0, WRITE_BATCH)
    for (const { id, bytes } of batch) {
      this.#waiting.delete(id)
      this.#waitingBytes -= bytes
    }
    await this.#inTurn(() => this.#write(batch))
  }

  #cleaned({ answer, added }: Waiting): ResolutionAnswer {
    return this.#options.redact({ ...answer(), ...added })
  }

  #cleanTrace({ stackTrace }: Waiting): string | null {
    return stackTrace.length > MAX_TRACE_CHARS ? null : this.#options.redact(stackTrace)
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const stored = batch.map((waiting): StoredResolution => {
      const answer = this.#cleaned(waiting)
      const trace = this.#cleanTrace(waiting)
      return {
        id: waiting.id,
        at: waiting.at,
        question: waiting.question,
        project_name: answer.project_name,
        commit: answer.commit,
        title: titleOf(answer),
        fingerprints: [...new Set(answer.exceptions.flatMap(({ fingerprint }) => fingerprint ?? []))],
        answer_status: answer.answer_status,
        model: answer.model,
        packed: packed(answer),
        trace: trace === null ? null : packedText(trace),
      }
    })
    await this.#put(stored)
  }

  async #put(stored: readonly StoredResolution[]): Promise<void> {
    try {
      await this.#options.store.put(stored)
    } catch (error) {
      this.#options.onFailed(error)
    }
  }
}
