import type { FileHandle } from 'node:fs/promises'
import { FaultlineError } from '../../../core/errors.ts'
import { readWhole } from '../read-whole.ts'

/** A run of bytes of a file. @throws {RangeError} The file ends before, or the run is longer than any is. */
export async function readRun(handle: FileHandle, offset: number, bytes: number): Promise<Buffer> {
  const run = Buffer.allocUnsafeSlow(bytes) // of its own memory: numbers in it are aligned
  if (!(await readWhole(handle, run, offset))) throw new RangeError('A file ends early.')
  return run
}

/** Runs of at most so many bytes that cover a file from one place to another. */
export async function* readRuns(
  handle: FileHandle,
  { from, to, most }: { from: number; to: number; most: number },
): AsyncGenerator<Buffer> {
  for (let at = from; at < to; at += most) yield await readRun(handle, at, Math.min(most, to - at))
}

/** For readers that tell a user what is wrong with an index: here it only means that there is no such recipe. */
export function orRangeError<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (error instanceof FaultlineError) throw new RangeError(error.message, { cause: error })
    throw error
  }
}
