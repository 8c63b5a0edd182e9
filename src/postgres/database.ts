/**
 * A row as the driver gives it: `int8` and `numeric` as numbers, `timestamptz` as ISO 8601 text with milliseconds,
 * `bytea` as bytes. `text` holds any characters: those that PostgreSQL refuses are escaped on the way.
 */
export type Row = Record<string, unknown>

/** What a statement gave. */
export interface QueryResult {
  rows: Row[]
  /** How many rows it read, added, changed or removed. */
  count: number
}

/** Where statements can be sent; `$1` and so on stand for the values. */
export interface Queryable {
  /** @throws {FaultlineError} DATABASE_UNAVAILABLE: it may have been carried out. */
  query(text: string, values?: readonly unknown[]): Promise<QueryResult>
}

/** One PostgreSQL database, through a pool of connections. The tables of Faultline need no schema before their name. */
export interface Database extends Queryable {
  /** For lists, which may be some moments old: a replica where there is one that is near. */
  readonly reads: Queryable
  /**
   * Runs `work` in one transaction: all of it is written, or nothing. It is run again from the top when the database
   * gave it up for another transaction (deadlock, serialization). Not reentrant.
   *
   * @throws {UnknownOutcomeError} The connection broke at the COMMIT; the error can find out what became of it.
   * @throws {FaultlineError} DATABASE_UNAVAILABLE: nothing of it was carried out.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>
  /** Ends all connections when what runs on them is done. */
  close(): Promise<void>
}
