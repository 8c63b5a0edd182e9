import type { RunLimits } from './limits/limits.ts'
import type { Ecosystem } from './network/ecosystems.ts'

/** Called with each piece of a stream as it arrives; what it throws ends the program. */
export type OutputListener = (stream: 'stdout' | 'stderr', text: string) => void
/** The limit or the cancellation that ended a program. */
export type KilledBy = 'time' | 'memory' | 'output' | 'disk' | 'cancelled'

/** How a program ended, and what it printed. */
export interface Outcome {
  /** As in a shell: 128 and the signal's number for a program that a signal ended. Null when the sandbox ended it. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Bytes of both streams that are left out. */
  truncatedBytes: number
  timedOut: boolean
  killedBy: KilledBy | null
  /** Whether `readyWhen` was met, so that the program was ended. */
  ready: boolean
  /** Time of the program alone; 0 when it never began. */
  durationMs: number
  began: boolean
}

/** When a program that keeps running, such as a server, counts as started. Every given condition must be met. */
export interface ReadyWhen {
  /**
   * A TCP port at which it listens, on any address. Nothing connects to it. In a run with the registry proxy not its
   * port (3128).
   */
  port?: number
  /** Text that it prints to either stream, compared literally, in any place. */
  output?: string
}

/** What an install left, as runs see it: its files lie below those of the workspace, and in HOME. */
export interface Layer {
  /** The name that it was kept by, a SHA-256. */
  key: string
}

/** What a program reaches beside itself. */
export type Network = 'none' | 'registries' | { socket: string }

/** One program to run in a workspace. */
export interface RunRequest {
  /** The program and its arguments; no shell interprets them. */
  argv: readonly string[]
  /** A folder below WORKSPACES_DIR; the program sees it as /workspace. */
  workspace: string
  /** Added to PATH, HOME, TMPDIR, LANG, CI. Every program of the jail can read it: no secrets. */
  env?: Readonly<Record<string, string>>
  limits?: Partial<RunLimits>
  /**
   * `registries`: package registries through the proxy. A socket: whatever listens there, at port 3128 of loopback, and
   * nothing else. Default: none.
   */
  network?: Network
  /** Folders and files of this machine that the program needs, which it sees read-only in the same places. */
  tools?: readonly string[]
  /** With `registries`: whose registries may be reached. Default: those of npm and pip. */
  ecosystems?: readonly Ecosystem[]
  /**
   * What was installed. The program may change what it sees of it; that goes with the workspace, and what it writes to
   * HOME with the run.
   */
  layer?: Layer
  /** A folder below WORKSPACES_DIR that is HOME and stays after the run; without it HOME goes with the run. */
  home?: string
  /** Gets the first MiB of each stream as it arrives. What it throws ends the program, and `run` rethrows it. */
  onOutput?: OutputListener
  /** Ends the program as soon as this is met; the result says `ready`. */
  readyWhen?: ReadyWhen
  signal: AbortSignal
}

/** The result of one run. */
export interface RunResult extends Omit<Outcome, 'began'> {
  /** False for a run with SANDBOX=unsafe-host. */
  sandboxed: boolean
}

/** The result of a run that was cancelled before it could start. */
export const cancelledBeforeStart = (sandboxed: boolean): RunResult => ({
  exitCode: null,
  signal: null,
  stdout: '',
  stderr: '',
  truncatedBytes: 0,
  timedOut: false,
  killedBy: 'cancelled',
  ready: false,
  durationMs: 0,
  sandboxed,
})
