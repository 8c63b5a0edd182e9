import { spawn } from 'node:child_process'
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

/**
 * Runs a program of the operator's outside of the sandbox, with nothing of the server's settings in its environment.
 * When it takes too long, or the signal fires, it is ended with its process group. Whatever becomes of it is the
 * result.
 */
export async function runOnHost({ argv, env, cwd, timeoutMs, signal, onOutput }: HostCommand): Promise<HostOutcome> {
  signal.throwIfAborted()
  const started = performance.now()
  const [program = '', ...args] = argv
  const child = spawn(program, args, {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      output = shortened(output + text, MAX_OUTPUT_CHARS)
      onOutput(stream, text)
    })
  }
  let timedOut = false
  const end = (name: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, name)
    } catch {
      // it has ended
    }
  }
  let killer: NodeJS.Timeout | undefined
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
      output = shortened(`${output}${error.message}`, MAX_OUTPUT_CHARS)
      resolve(null)
    })
    child.on('close', code => resolve(code))
    const exitCode = await promise
    return { exitCode, output, timedOut, durationMs: Math.round(performance.now() - started) }
  } finally {
    clearTimeout(timer)
    clearTimeout(killer)
    signal.removeEventListener('abort', stop)
    end('SIGKILL') // what it left in its group
  }
}
