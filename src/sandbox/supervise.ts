import { watchDisk } from './disk-watch.ts'
import type { Launched } from './launched.ts'
import { MIB, type RunLimits } from './limits.ts'
import { KeptOutput } from './output.ts'
import { treeMemoryBytes } from './process-tree.ts'

export type OutputListener = (stream: 'stdout' | 'stderr', text: string) => void
export type KilledBy = 'time' | 'memory' | 'output' | 'disk' | 'cancelled'

export interface Outcome {
  /** As a shell has it: 128 and the signal's number for a program that a signal ended. Null when the sandbox ended it. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Bytes of both streams that are not shown. */
  truncatedBytes: number
  timedOut: boolean
  killedBy: KilledBy | null
  /** Of the program alone; 0 when it never began. */
  durationMs: number
  began: boolean
}

const MEMORY_EVERY_MS = 100
/** Beyond what is kept. */
const MAX_DROPPED_BYTES = 64 * MIB
/** Of each stream that `onOutput` gets. */
const MAX_LIVE_BYTES = 1 * MIB
/** A flood is read in portions, so that it does not keep this thread from everything else. */
const PORTION_BYTES = 1 * MIB
const PAUSE_MS = 10
/** From the start of the jail to that of its program. */
const BEGIN_LIMIT_MS = 30_000

/** Watches a program until it has ended, and ends it at the first limit that it goes beyond. */
export async function supervise (program: Launched, { limits, workspace, signal, onOutput }: {
  limits: RunLimits, workspace: string | null, signal: AbortSignal, onOutput: OutputListener | undefined
}): Promise<Outcome> {
  let killedBy: KilledBy | null = null
  const kill = (reason: KilledBy) => {
    killedBy ??= reason
    program.kill()
  }
  const stopAtAbort = () => kill('cancelled')
  signal.addEventListener('abort', stopAtAbort, { once: true })
  if (signal.aborted) stopAtAbort()

  const kept = { stdout: new KeptOutput(), stderr: new KeptOutput() }
  for (const stream of ['stdout', 'stderr'] as const) {
    const tell = onOutput === undefined ? null : liveText(text => onOutput(stream, text))
    let portion = 0
    const source = program[stream]
    source.on('data', (chunk: Buffer) => {
      portion += chunk.length
      if (portion > PORTION_BYTES) {
        portion = 0
        source.pause()
        setTimeout(() => source.resume(), PAUSE_MS)
      }
      kept[stream].add(chunk)
      tell?.(chunk)
      if (kept.stdout.truncatedBytes + kept.stderr.truncatedBytes > MAX_DROPPED_BYTES) kill('output')
    }).on('error', () => {}) // it was destroyed with the program
  }

  const toBegin = setTimeout(() => program.kill(), BEGIN_LIMIT_MS)
  const began = await program.begun
  clearTimeout(toBegin)
  const startedAt = performance.now()
  const stopWatching = began ? watch(program, { limits, workspace, kill }) : () => {}
  const ended = await program.ended
  const durationMs = began ? Math.round(performance.now() - startedAt) : 0
  stopWatching()
  signal.removeEventListener('abort', stopAtAbort)
  const reason = killedBy as KilledBy | null
  return {
    exitCode: reason === null ? ended.exitCode : null,
    signal: reason === null ? ended.signal : 'SIGKILL',
    stdout: kept.stdout.text(),
    stderr: ended.failure === null ? kept.stderr.text() : ended.failure.message,
    truncatedBytes: kept.stdout.truncatedBytes + kept.stderr.truncatedBytes,
    timedOut: reason === 'time',
    killedBy: reason,
    durationMs,
    began,
  }
}

function watch (program: Launched, { limits, workspace, kill }: { limits: RunLimits, workspace: string | null, kill: (reason: KilledBy) => void }): () => void {
  const timer = setTimeout(() => kill('time'), limits.timeoutMs)
  const memory = setInterval(() => {
    const root = program.treeRoot()
    if (root !== null && treeMemoryBytes(root) > limits.memoryMb * MIB) kill('memory')
  }, MEMORY_EVERY_MS)
  const stopDisk = workspace === null ? () => {} : watchDisk(workspace, { limitBytes: limits.diskMb * MIB, onExceeded: () => kill('disk') })
  return () => {
    clearTimeout(timer)
    clearInterval(memory)
    stopDisk()
  }
}

/** Text as it comes, characters whole, up to a limit. */
function liveText (tell: (text: string) => void): (chunk: Buffer) => void {
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
