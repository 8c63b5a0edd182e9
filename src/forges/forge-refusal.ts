import { FaultlineError } from '../core/errors.ts'
import { showLine } from '../core/visible-text.ts'

const MAX_SAID_CHARS = 300

/** What a forge said, on one line and without the token. */
export function saidLine(text: string, secrets: readonly string[]): string {
  const hidden = secrets.filter(secret => secret !== '').reduce((said, secret) => said.replaceAll(secret, '***'), text)
  const line = showLine(hidden.replace(/\s+/g, ' ').trim())
  return line.length <= MAX_SAID_CHARS ? line : `${line.slice(0, MAX_SAID_CHARS - 1).toWellFormed()}…`
}

/** A forge did not do what it was asked. */
export class ForgeRefusal extends FaultlineError {
  /** The status of its answer; null where there was none that could be used. */
  readonly status: number | null

  constructor(message: string, fix: string, { status, cause }: { status: number | null; cause?: unknown }) {
    super('FORGE_REFUSED', message, fix, { cause })
    this.status = status
  }
}

/** Whether a call may have been carried out, although its answer is none of success. */
export const mayHaveWorked = (error: unknown): boolean =>
  error instanceof ForgeRefusal && (error.status === null || error.status >= 500)

/** Whether a forge answered with one of these statuses. */
export const isRefusedWith = (error: unknown, ...statuses: number[]): error is ForgeRefusal =>
  error instanceof ForgeRefusal && error.status !== null && statuses.includes(error.status)
