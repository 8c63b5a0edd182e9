/** The values of one statement, in the order of their `$n`. */
export class Values {
  readonly list: unknown[] = []

  /** Adds a value. @returns What stands for it; without a type PostgreSQL infers one, `text` in a list of `SELECT`. */
  add(value: unknown, type = ''): string {
    const place = `$${this.list.push(value)}`
    return type === '' ? place : `${place}::${type}`
  }
}

/** The time, as SQL: that of the database. */
export interface Clock {
  /** The time so many milliseconds ago. */
  ago(values: Values, ms: number): string
  now(values: Values): string
}

/**
 * The clock of the database, which all nodes share.
 *
 * @param now - Another clock, for tests.
 */
export function createClock(now?: () => Date): Clock {
  const nowIn = (values: Values): string =>
    now === undefined ? 'statement_timestamp()' : values.add(now().toISOString(), 'timestamptz')
  return {
    now: nowIn,
    ago: (values, ms) => `(${nowIn(values)} - ${values.add(ms, 'float8')} * interval '1 millisecond')`,
  }
}
