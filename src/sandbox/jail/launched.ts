import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'

/** How long a descendant may keep the output open after the program itself has ended. */
const CLOSE_LIMIT_MS = 500

export interface Ended {
  exitCode: number | null
  signal: NodeJS.Signals | null
  /** Why there was no process at all. */ failure: Error | null
}

/** A program that was started, in a jail or not. */
export interface Launched {
  readonly stdout: Readable
  readonly stderr: Readable
  /** True when the program begins to run, false when it ended before. */
  readonly begun: Promise<boolean>
  /** When nothing that it started runs any more. */
  readonly ended: Promise<Ended>
  /** Whether no other program of this machine listens where it does. */
  readonly hasOwnNetwork: boolean
  /** The process below which everything lies that the program starts; null before and after. */
  treeRoot(): number | null
  /** Ends all of it; may be called at any time and more than once. */
  kill(): void
}

/** Resolves when a process has ended and its output is read, or held open by something that it left behind. */
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
