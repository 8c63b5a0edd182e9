import { FaultlineError } from './errors.ts'

const SQLITE_FULL = 13
const SYSTEM_CODES: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT'])
/** Causes of causes that are looked at: an error may be its own. */
const MAX_CAUSES = 5

/** Whether an error, or what caused it, says that a disk or a quota has no room, as the system or SQLite says it. */
export function isFullDisk(error: unknown, maxCauses = MAX_CAUSES): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof FaultlineError) return error.code === 'DISK_FULL'
  if ('code' in error && SYSTEM_CODES.has(error.code)) return true
  if ('errcode' in error && Number(error.errcode) % 256 === SQLITE_FULL) return true
  return maxCauses > 0 && isFullDisk(error.cause, maxCauses - 1)
}

/** The error itself where it is an expected one; DISK_FULL in place of any other that a full disk caused. */
export function namingFullDisk(error: unknown): unknown {
  if (error instanceof FaultlineError || !isFullDisk(error)) return error
  return new FaultlineError(
    'DISK_FULL',
    'The disk of the server is full.',
    'Free some space (DELETE /jobs/{id} and DELETE /projects/{name} do), then send the request again.',
    { cause: error },
  )
}
