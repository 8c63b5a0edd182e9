import { constants } from 'node:os'
import { watchDisk } from './limits/disk-watch.ts'
import type { Ended, Launched } from './jail/launched.ts'
import { MIB, type RunLimits } from './limits/limits.ts'
import { KeptOutput } from './limits/output.ts'
import { treeMemoryBytes } from './limits/process-tree.ts'
import { watchReady, type ReadyWatch } from './ready.ts'
import type { KilledBy, Outcome, OutputListener, ReadyWhen } from './run.ts'

const MEMORY_EVERY_MS = 100
/** Output beyond what is kept, after which the program is ended. */
const MAX_DROPPED_BYTES = 64 * MIB
/** The part of each stream that `onOutput` gets. */
const MAX_LIVE_BYTES = 1 * MIB
/** A flood of output is read in portions, so that it does not block this thread. */
const PORTION_BYTES = 1 * MIB
const PAUSE_MS = 10
/** Limit from the start of the jail to that of its program, and where a layer is copied before. */
const BEGIN_LIMIT_MS = 30_000
const COPY_LIMIT_MS = 600_000
/** The exit code of a jail whose first process was killed. */
const KILLED_EXIT_CODE = 128 + constants.signals.SIGKILL

function watch(
  program: Launched,
  { limits, folders, kill }: { limits: RunLimits; folders: readonly string[]; kill: (reason: KilledBy) => void },
): () => void {
  const timer = setTimeout(() => kill('time'), limits.timeoutMs)
  const memory = setInterval(() => {
    const root = program.treeRoot()
    if (program.ranOutOfMemory() || (root !== null && treeMemoryBytes(root) > limits.memoryMb * MIB)) kill('memory')
  }, MEMORY_EVERY_MS)
  const stopDisk =
    folders.length === 0
      ? () => {}
      : watchDisk(folders, { limitBytes: limits.diskMb * MIB, onExceeded: () => kill('disk') })
  return () => {
    clearTimeout(timer)
    clearInterval(memory)
    stopDisk()
  }
}

/** Text as it arrives, with whole characters, up to a limit. */
function liveText(tell: (text: string) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder()
  let left = MAX_LIVE_BYTES
  return chunk => {
    if (left <= 0) return
    const part = chunk.subarray(0, left)
    left -= part.length
    const text = decoder.decode(part, { stream: left > 0 })
    if (text !== '') tell(text)
  }
}

type Stream = 'stdout' | 'stderr'
type Reason = KilledBy | 'ready'

/** What a program is watched for while it runs. */
interface SupervisionOptions {
  limits: RunLimits
  /** Folders that may together be as large as the limit says. */
  folders: readonly string[]
  /** Whether the start copies a layer. */
  copies?: boolean
  signal: AbortSignal
  onOutput: OutputListener | undefined
  readyWhen: ReadyWhen | undefined
}

/** One program under watch: its output, and why it was ended. */
class Supervision {
  readonly #program: Launched
  readonly #options: SupervisionOptions
  readonly #kept = { stdout: new KeptOutput(), stderr: new KeptOutput() }
  readonly #ready: ReadyWatch | null
  #endedFor: Reason | null = null
  #listenerFailure: { error: unknown } | null = null

  constructor(program: Launched, options: SupervisionOptions) {
    this.#program = program
    this.#options = options
    const { readyWhen } = options
    this.#ready = readyWhen === undefined ? null : watchReady(program, readyWhen, () => this.#kill('ready'))
    this.#read('stdout')
    this.#read('stderr')
  }

  async untilEnded(): Promise<Outcome> {
    const { signal, limits, folders } = this.#options
    const stopAtAbort = (): void => this.#kill('cancelled')
    signal.addEventListener('abort', stopAtAbort, { once: true })
    if (signal.aborted) stopAtAbort()
    const began = await this.#begun()
    const startedAt = performance.now()
    const stopWatching = began
      ? watch(this.#program, { limits, folders, kill: reason => this.#kill(reason) })
      : () => {}
    try {
      const ended = await this.#program.ended
      if (this.#listenerFailure !== null) throw this.#listenerFailure.error
      return this.#outcome(ended, { began, durationMs: began ? Math.round(performance.now() - startedAt) : 0 })
    } finally {
      stopWatching()
      this.#ready?.stop()
      signal.removeEventListener('abort', stopAtAbort)
    }
  }

  async #begun(): Promise<boolean> {
    const limit = setTimeout(() => this.#program.kill(), this.#options.copies === true ? COPY_LIMIT_MS : BEGIN_LIMIT_MS)
    const began = await this.#program.begun
    clearTimeout(limit)
    return began
  }

  #kill(reason: Reason): void {
    this.#endedFor ??= reason
    this.#program.kill()
  }

  #read(stream: Stream): void {
    const live = this.#options.onOutput === undefined ? null : liveText(text => this.#pass(stream, text))
    const source = this.#program[stream]
    let portion = 0
    source
      .on('data', (chunk: Buffer) => {
        portion += chunk.length
        if (portion > PORTION_BYTES) {
          portion = 0
          source.pause()
          setTimeout(() => source.resume(), PAUSE_MS)
        }
        this.#kept[stream].add(chunk)
        live?.(chunk)
        this.#ready?.saw(stream, chunk)
        if (this.#truncatedBytes > MAX_DROPPED_BYTES) this.#kill('output')
      })
      .on('error', () => {}) // it was destroyed with the program
  }

  /** Passes live output on; a failing listener ends the program. */
  #pass(stream: Stream, text: string): void {
    if (this.#listenerFailure !== null) return
    try {
      this.#options.onOutput?.(stream, text)
    } catch (error) {
      this.#listenerFailure = { error }
      this.#kill('cancelled')
    }
  }

  get #truncatedBytes(): number {
    return this.#kept.stdout.truncatedBytes + this.#kept.stderr.truncatedBytes
  }

  #outcome(ended: Ended, { began, durationMs }: { began: boolean; durationMs: number }): Outcome {
    // A program that had ended by itself when it was to be ended as ready did not go on as a server does.
    const endedItself = ended.signal === null && ended.exitCode !== KILLED_EXIT_CODE
    const wanted = this.#endedFor === 'ready' && endedItself ? null : this.#endedFor
    // the kernel was quicker than the watch
    const reason = wanted === null && this.#program.ranOutOfMemory() ? 'memory' : wanted
    return {
      exitCode: reason === null ? ended.exitCode : null,
      signal: reason === null ? ended.signal : 'SIGKILL',
      stdout: this.#kept.stdout.text(),
      stderr: ended.failure === null ? this.#kept.stderr.text() : ended.failure.message,
      truncatedBytes: this.#truncatedBytes,
      timedOut: reason === 'time',
      killedBy: reason === 'ready' ? null : reason,
      ready: reason === 'ready',
      durationMs,
      began,
    }
  }
}

/**
 * Watches a program until it has ended, and ends it at the first limit that it exceeds, and when it is ready.
 *
 * @throws What `onOutput` throws, when the program was ended for that.
 */
export function supervise(program: Launched, options: SupervisionOptions): Promise<Outcome> {
  return new Supervision(program, options).untilEnded()
}
