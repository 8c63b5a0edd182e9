import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'

/** How long a descendant may keep the output open after the program itself has ended. */
const CLOSE_LIMIT_MS = 500

/** How a process ended. */
export interface Ended {
  exitCode: number | null
  signal: NodeJS.Signals | null
  /** Why there was no process at all. */ failure: Error | null
}

/** A program that was started, in a jail or not. */
export interface Launched {
  readonly stdout: Readable
  readonly stderr: Readable
  /** True when the program starts to run, false when it ended before. */
  readonly begun: Promise<boolean>
  /** Resolves when nothing that it started runs any more. */
  readonly ended: Promise<Ended>
  /** Whether no other program of this machine listens in its network. */
  readonly hasOwnNetwork: boolean
  /** The process that all of the program's processes descend from; null before and after. */
  treeRoot(): number | null
  /** Whether the kernel has ended a process of it because the limit of its control group was reached. */
  ranOutOfMemory(): boolean
  /** Ends all of it. Idempotent; may be called at any time. */
  kill(): void
}

/**
 * Resolves when a process has ended and its output is read, or when something that it left behind keeps the output open
 * for too long.
 */
export async function untilClosed(child: ChildProcess): Promise<Ended> {
  const closed = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<Ended>()
  child.once('close', () => closed.resolve())
  child.once('error', failure => exited.resolve({ exitCode: null, signal: null, failure }))
  child.once('exit', (exitCode, signal) => exited.resolve({ exitCode, signal, failure: null }))
  const ended = await exited.promise
  const limit = setTimeout(() => closed.resolve(), CLOSE_LIMIT_MS)
  if (ended.failure === null) await closed.promise
  clearTimeout(limit)
  child.stdout?.destroy()
  child.stderr?.destroy()
  return ended
}
