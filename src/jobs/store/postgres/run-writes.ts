import type { Database, Queryable, Row } from '../../../postgres/database.ts'
import { OrderedWrites } from '../../run/ordered-writes.ts'
import type { RunKey } from '../run-key.ts'
import { claimedAgain } from '../status-changes.ts'
import { persist, type Patience } from './persist.ts'
import { Values } from './values.ts'

/** What a write does beside the fence, as SQL. */
export interface WriteParts {
  /** Assignments to the row of the job. */
  set?: readonly string[]
  /** Further parts of `WITH`, by their names, over `fence`: the row of the job as it is now; no row if refused. */
  and?: Readonly<Record<string, string>>
  /** What is selected from `fence`. */
  select?: string
  /** Bytes that it adds to what is stored of the job. */
  bytes?: number
}

/** A write of a run. */
interface RunWrite {
  /** Whether the job has to run still; otherwise it may have been cancelled meanwhile. */
  needsRunning?: boolean
  /** May be lost when the database loses power, which saves it a wait for the disk. */
  isQuick?: boolean
  /** Made anew for each try. */
  parts: (values: Values) => WriteParts
  /** Done in the same transaction, if it was written. */
  after?: (tx: Queryable, row: Row) => Promise<void>
}

/**
 * What became of a write: `repeated` was written by a try whose answer was lost; `not_running` and `claimed_again` were
 * refused.
 */
type Written = { state: 'written'; row: Row } | { state: 'repeated' | 'not_running' | 'claimed_again' }

/** Columns of the row of the job that parts of a write may read from `fence`. */
export const FENCE_COLUMNS =
  'seq, id, type, project_name, exclusive_key, runs_on, notify, last_event, last_entry, last_position'

/** One run that writes: its writes come one after the other, each with the next number. */
class Writer {
  readonly writes = new OrderedWrites()
  /** Writes that were asked for and are not over. */
  pending = 0
  isOver = false
  /** Number of the latest write; null while it is not known. */
  last: number | null

  constructor(last: number | null) {
    this.last = last
  }
}

const keyOf = ({ seq, attempt }: RunKey): string => `${seq}:${attempt}`

/** The SQL of `WITH` parts, after the first one. */
export const withParts = (parts: Readonly<Record<string, string>> = {}): string =>
  Object.entries(parts)
    .map(([name, sql]) => `, ${name} AS (${sql})`)
    .join('')

/** The statement: the fence changes the row of the job, which locks it, and all else hangs on that row. */
function statementOf(run: RunKey, number: number, { needsRunning = false, isQuick = false, parts }: RunWrite) {
  const values = new Values()
  const [seq, attempt, write] = [run.seq, run.attempt, number].map(value => values.add(value))
  const { set = [], and, select = 'seq', bytes = 0 } = parts(values)
  const stored = bytes === 0 ? [] : [`stored_bytes = stored_bytes + ${values.add(bytes, 'bigint')}`]
  const assigned = [`last_write = ${write}`, ...stored, ...set].join(', ')
  const running = needsRunning ? "AND status = 'running'" : ''
  const quick = isQuick ? ", set_config('synchronous_commit', 'off', true)" : ''
  const text = `WITH fence AS (
    UPDATE jobs SET ${assigned}
    WHERE seq = ${seq} AND attempt = ${attempt} AND last_write < ${write} ${running}
    RETURNING ${FENCE_COLUMNS})${withParts(and)}
  SELECT ${select}${quick} FROM fence`
  return { text, values: values.list }
}

/**
 * The writes of runs, each one statement whose first part is the fence: it tests that the job is still in the attempt
 * of the run, and locks its row. Each write has a number, which the row keeps: a write that is tried again because the
 * answer to it was lost changes nothing the second time, whenever the first one arrives.
 */
export class RunWrites {
  readonly #db: Database
  readonly #patience: Patience
  readonly #changed: (jobId: string) => void
  readonly #writers = new Map<string, Writer>()

  /** @param changed - Hears of each job that was changed, once that is committed. */
  constructor(db: Database, patience: Patience, changed: (jobId: string) => void) {
    this.#db = db
    this.#patience = patience
    this.#changed = changed
  }

  /** Notes a run that was just claimed, whose first write has number 1. */
  begin(run: RunKey): void {
    this.#writers.set(keyOf(run), new Writer(0))
  }

  /** Forgets what is known of a run that has ended, once it writes nothing more. */
  end(run: RunKey): void {
    const writer = this.#writers.get(keyOf(run))
    if (writer === undefined) return
    writer.isOver = true
    if (writer.pending === 0) this.#writers.delete(keyOf(run))
  }

  /**
   * Writes, again while the database cannot be used. Writes of one run are carried out in the order of the calls.
   *
   * @throws {FaultlineError} DATABASE_UNAVAILABLE for longer than patience lasts.
   */
  write(run: RunKey, write: RunWrite): Promise<Written> {
    const writer = this.#writers.get(keyOf(run)) ?? new Writer(null)
    this.#writers.set(keyOf(run), writer)
    writer.pending++
    return writer.writes
      .add(() => this.#writeNext(run, writer, write))
      .finally(() => {
        writer.pending--
        if (writer.isOver) this.end(run)
      })
  }

  /**
   * As `write`.
   *
   * @returns The row that it selects; null where the job does not run any more, or a try before this one wrote it.
   * @throws {Error} The job was claimed again.
   */
  async need(run: RunKey, write: RunWrite): Promise<Row | null> {
    const written = await this.write(run, write)
    if (written.state === 'claimed_again') throw claimedAgain()
    return written.state === 'written' ? written.row : null
  }

  async #writeNext(run: RunKey, writer: Writer, write: RunWrite): Promise<Written> {
    const number = await this.#nextNumber(run, writer)
    if (number === null) {
      writer.isOver = true
      return { state: 'claimed_again' }
    }
    const written = await persist(this.#patience, () => this.#try(run, number, write))
    if (written.state === 'written') this.#changed(String(written.row.id))
    if (written.state === 'claimed_again') writer.isOver = true
    return written
  }

  /** The number of the next write; null where the run is over. */
  async #nextNumber(run: RunKey, writer: Writer): Promise<number | null> {
    writer.last ??= await persist(this.#patience, () => this.#lastOf(run))
    if (writer.last === null) return null
    writer.last++
    return writer.last
  }

  async #lastOf({ seq, attempt }: RunKey): Promise<number | null> {
    const { rows } = await this.#db.query('SELECT last_write FROM jobs WHERE seq = $1 AND attempt = $2', [seq, attempt])
    return rows[0] === undefined ? null : Number(rows[0].last_write)
  }

  async #try(run: RunKey, number: number, write: RunWrite): Promise<Written> {
    const { after } = write
    if (after === undefined) return this.#tryIn(this.#db, run, number, write)
    return this.#db.transaction(async tx => {
      const written = await this.#tryIn(tx, run, number, write)
      if (written.state === 'written') await after(tx, written.row)
      return written
    })
  }

  async #tryIn(to: Queryable, run: RunKey, number: number, write: RunWrite): Promise<Written> {
    const { text, values } = statementOf(run, number, write)
    const { rows } = await to.query(text, values)
    if (rows[0] !== undefined) return { state: 'written', row: rows[0] }
    const found = await to.query('SELECT attempt, last_write FROM jobs WHERE seq = $1', [run.seq])
    const [row] = found.rows
    if (row?.attempt !== run.attempt) return { state: 'claimed_again' }
    return { state: Number(row.last_write) >= number ? 'repeated' : 'not_running' }
  }
}
