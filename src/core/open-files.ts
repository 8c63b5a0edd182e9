import { closeSync, openSync, readFileSync } from 'node:fs'
import { FaultlineError } from './errors.ts'

const TITLE = /^Max open files\s+(\d+|unlimited)/m
/** What Linux gives a process that nobody configured. */
const USUAL = 1024

function ownLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return '' // another system than Linux
  }
}

/**
 * How many files, sockets and pipes this process may have open at once (`ulimit -n`, which Node raises to the hard
 * limit at its start). Infinity where there is no limit.
 */
export function openFileLimit(limits: string = ownLimits()): number {
  const found = TITLE.exec(limits)?.[1]
  if (found === undefined) return USUAL
  return found === 'unlimited' ? Infinity : Number(found)
}

/** What the system says where a process, or the whole machine, has no file left. */
const NO_FILE_LEFT: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE'])
const FIX =
  'Raise the limit (ulimit -n 4096, or LimitNOFILE=4096 in a unit of systemd), restart the server, and ask again.'

/** Whether an error says that no file is left to open. */
export const saysNoFileIsLeft = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && NO_FILE_LEFT.has(error.code)

/** Whether no file is left to open right now: SQLite says only that it cannot open its own. */
export function hasNoFileLeft(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'))
    return false
  } catch (error) {
    return saysNoFileIsLeft(error)
  }
}

/** The error for what needs a file when none is left. */
export const outOfFiles = (what: string, cause?: unknown): FaultlineError =>
  new FaultlineError('OVERLOADED', `${what}: this process has as many files open as it may.`, FIX, { cause })

/** What is looked at of a process that was just started. */
interface Started {
  stdio?: unknown
  on(event: 'error', listener: () => void): unknown
}

/**
 * Whether a process was started with its pipes. Where no file was left for them, Node gives back a child process
 * without any, and has it emit an error later; that is taken here, as it would end this process.
 */
export function hasPipes(child: Started): boolean {
  if (child.stdio !== undefined) return true
  child.on('error', () => {})
  return false
}

/** Checks that a process was started with its pipes. @throws {FaultlineError} OVERLOADED */
export function requirePipes(child: Started): void {
  if (hasPipes(child)) return
  throw outOfFiles('No program can be started')
}
