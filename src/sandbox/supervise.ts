import { constants } from 'node:os'
import { watchDisk } from './limits/disk-watch.ts'
import type { Launched } from './jail/launched.ts'
import { MIB, type RunLimits } from './limits/limits.ts'
import { KeptOutput } from './limits/output.ts'
import { treeMemoryBytes } from './limits/process-tree.ts'
import { watchReady } from './ready.ts'
import type { KilledBy, Outcome, OutputListener, ReadyWhen } from './run.ts'

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
/** Of a jail whose first process was ended. */
const KILLED_EXIT_CODE = 128 + constants.signals.SIGKILL

function watch(
  program: Launched,
  { limits, workspace, kill }: { limits: RunLimits; workspace: string | null; kill: (reason: KilledBy) => void },
): () => void {
  const timer = setTimeout(() => kill('time'), limits.timeoutMs)
  const memory = setInterval(() => {
    const root = program.treeRoot()
    if (root !== null && treeMemoryBytes(root) > limits.memoryMb * MIB) kill('memory')
  }, MEMORY_EVERY_MS)
  const stopDisk =
    workspace === null
      ? () => {}
      : watchDisk(workspace, { limitBytes: limits.diskMb * MIB, onExceeded: () => kill('disk') })
  return () => {
    clearTimeout(timer)
    clearInterval(memory)
    stopDisk()
  }
}

/** Text as it comes, characters whole, up to a limit. */
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

/**
 * Watches a program until it has ended, and ends it at the first limit that it goes beyond, and when it is ready.
 *
 * @throws What `onOutput` throws, when the program has ended for that.
 */
export async function supervise(
  program: Launched,
  {
    limits,
    workspace,
    signal,
    onOutput,
    readyWhen,
  }: {
    limits: RunLimits
    workspace: string | null
    signal: AbortSignal
    onOutput: OutputListener | undefined
    readyWhen: ReadyWhen | undefined
  },
): Promise<Outcome> {
  let endedFor: KilledBy | 'ready' | null = null
  let broken: { error: unknown } | null = null
  const kill = (reason: KilledBy | 'ready') => {
    endedFor ??= reason
    program.kill()
  }
  const tellOutput = (stream: 'stdout' | 'stderr', text: string) => {
    if (broken !== null) return
    try {
      onOutput?.(stream, text)
    } catch (error) {
      broken = { error }
      kill('cancelled')
    }
  }
  const stopAtAbort = () => kill('cancelled')
  signal.addEventListener('abort', stopAtAbort, { once: true })
  if (signal.aborted) stopAtAbort()

  const ready = readyWhen === undefined ? null : watchReady(program, readyWhen, () => kill('ready'))
  const kept = { stdout: new KeptOutput(), stderr: new KeptOutput() }
  for (const stream of ['stdout', 'stderr'] as const) {
    const tell = onOutput === undefined ? null : liveText(text => tellOutput(stream, text))
    let portion = 0
    const source = program[stream]
    source
      .on('data', (chunk: Buffer) => {
        portion += chunk.length
        if (portion > PORTION_BYTES) {
          portion = 0
          source.pause()
          setTimeout(() => source.resume(), PAUSE_MS)
        }
        kept[stream].add(chunk)
        tell?.(chunk)
        ready?.saw(stream, chunk)
        if (kept.stdout.truncatedBytes + kept.stderr.truncatedBytes > MAX_DROPPED_BYTES) kill('output')
      })
      .on('error', () => {}) // it was destroyed with the program
  }

  const toBegin = setTimeout(() => program.kill(), BEGIN_LIMIT_MS)
  const began = await program.begun
  clearTimeout(toBegin)
  const startedAt = performance.now()
  const stopWatching = began ? watch(program, { limits, workspace, kill }) : () => {}
  try {
    const ended = await program.ended
    if (broken !== null) throw (broken as { error: unknown }).error
    const durationMs = began ? Math.round(performance.now() - startedAt) : 0
    // One that had ended by itself when it was to be ended did not go on as a server does.
    const reason =
      endedFor === 'ready' && ended.signal === null && ended.exitCode !== KILLED_EXIT_CODE
        ? null
        : (endedFor as KilledBy | 'ready' | null)
    return {
      exitCode: reason === null ? ended.exitCode : null,
      signal: reason === null ? ended.signal : 'SIGKILL',
      stdout: kept.stdout.text(),
      stderr: ended.failure === null ? kept.stderr.text() : ended.failure.message,
      truncatedBytes: kept.stdout.truncatedBytes + kept.stderr.truncatedBytes,
      timedOut: reason === 'time',
      killedBy: reason === 'ready' ? null : reason,
      ready: reason === 'ready',
      durationMs,
      began,
    }
  } finally {
    stopWatching()
    ready?.stop()
    signal.removeEventListener('abort', stopAtAbort)
  }
}
