import { FaultlineError } from './errors.ts'

/** Cursors are opaque to clients: the sort key of the last row, as base64url. */
export const encodeCursor = (key: string | number): string => Buffer.from(String(key)).toString('base64url')

/** The sort key in a cursor, null without one. Not validated: looking up the key shows whether it exists. */
export const decodeTextCursor = (cursor: string | undefined): string | null =>
  cursor === undefined ? null : Buffer.from(cursor, 'base64url').toString('utf8')

/** @throws {FaultlineError} VALIDATION_FAILED when the text never came from `encodeCursor`. */
export function decodeNumberCursor(cursor: string | undefined): number | null {
  const text = decodeTextCursor(cursor)
  if (text === null) return null
  if (!/^\d{1,15}$/.test(text)) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `The cursor ${JSON.stringify(cursor)} is not one that this server gave.`,
      'Use next_cursor of the page before.',
    )
  }
  return Number(text)
}
