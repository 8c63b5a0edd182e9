import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { Readable } from 'node:stream'
import { shortened } from '../core/both-ends.ts'

/** A program that the operator named, to be run as the server's own account. */
export interface HostCommand {
  /** The first is an absolute path; no shell reads them. */
  argv: readonly [string, ...string[]] | readonly string[]
  /** All of its environment. */
  env: Readonly<Record<string, string>>
  cwd: string
  timeoutMs: number
  signal: AbortSignal
  /** Gets each piece of what it prints. */
  onOutput: (stream: 'stdout' | 'stderr', text: string) => void
}

/** How such a program ended. */
export interface HostOutcome {
  /** Null where it was killed, or could not be started. */
  exitCode: number | null
  /** Both streams, as they came; the middle of much is left out. */
  output: string
  timedOut: boolean
  durationMs: number
}

/** Kept of what a program prints. */
const MAX_OUTPUT_CHARS = 65_536
/** How long a program that was asked to end has for that. */
const GRACE_MS = 5_000
/** How long output is waited for once a program has ended: what left its group may hold the pipes for ever. */
const LAST_OUTPUT_MS = 1_000

/** A program begun in a group of its own; what is wrong with its arguments is told as the other failures are. */
function begin({ argv, env, cwd }: HostCommand): ChildProcessByStdio<null, Readable, Readable> | Error {
  const [program = '', ...args] = argv
  try {
    return spawn(program, args, { cwd, env: { ...env }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

/**
 * Runs a program of the operator's outside of the sandbox, with nothing of the server's settings in its environment.
 * When it takes too long, or the signal fires, it is ended with its process group; what it leaves in the group when it
 * ends by itself is killed. Whatever becomes of it is the result.
 */
export async function runOnHost(command: HostCommand): Promise<HostOutcome> {
  const { timeoutMs, signal, onOutput } = command
  signal.throwIfAborted()
  const started = performance.now()
  let [output, timedOut] = ['', false]
  const outcome = (exitCode: number | null): HostOutcome => ({
    exitCode,
    output,
    timedOut,
    durationMs: Math.round(performance.now() - started),
  })
  const keep = (text: string): void => {
    output = shortened(output + text, MAX_OUTPUT_CHARS)
  }
  const child = begin(command)
  if (child instanceof Error) {
    keep(child.message)
    return outcome(null)
  }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      keep(text)
      onOutput(stream, text)
    })
  }
  const end = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // it has ended
    }
  }
  let killer: NodeJS.Timeout | undefined
  let last: NodeJS.Timeout | undefined
  const stop = (): void => {
    end('SIGTERM')
    killer ??= setTimeout(() => end('SIGKILL'), GRACE_MS)
  }
  const timer = setTimeout(() => {
    timedOut = true
    stop()
  }, timeoutMs)
  signal.addEventListener('abort', stop)
  try {
    const { promise, resolve } = Promise.withResolvers<number | null>()
    child.on('error', error => {
      keep(error.message)
      resolve(null)
    })
    child.on('exit', code => {
      clearTimeout(timer)
      if (killer === undefined) end('SIGKILL') // else the others have the rest of the time to end
      last = setTimeout(() => resolve(code), (killer === undefined ? 0 : GRACE_MS) + LAST_OUTPUT_MS)
    })
    child.on('close', code => resolve(code))
    return outcome(await promise)
  } finally {
    clearTimeout(timer)
    clearTimeout(killer)
    clearTimeout(last)
    signal.removeEventListener('abort', stop)
    end('SIGKILL') // what it left in its group
    child.stdout.destroy()
    child.stderr.destroy()
  }
}
