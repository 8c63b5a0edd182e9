import { FaultlineError } from '../core/errors.ts'
import { folderBytes, formatBytes } from './clone/disk-space.ts'

/** The limits of all work on one clone. */
export interface CloneLimits {
  /** Wall time of one sync, and of one deepening of the history. */
  wallMs: number
  /** Time for the remote to list its refs. */
  answerMs: number
  /** Size of a clone on disk. */
  maxBytes: number
  /** Number of files in one commit. */
  maxEntries: number
  /** Free space below which nothing is fetched. */
  minFreeBytes: number
  /** The interval at which the size is checked. */
  watchMs: number
}

/** The limits of a server without other settings. */
export const DEFAULT_LIMITS: CloneLimits = {
  wallMs: 600_000,
  answerMs: 60_000,
  maxBytes: 2_147_483_648,
  maxEntries: 200_000,
  minFreeBytes: 1_073_741_824,
  watchMs: 500,
}

function tooLarge({ maxBytes }: CloneLimits): FaultlineError {
  return new FaultlineError('REPOSITORY_TOO_LARGE', `The repository is larger than ${formatBytes(maxBytes)} on disk.`)
}

function watchSize(folder: string, limits: CloneLimits, stop: AbortController): { stop(): void } {
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const look = async () => {
    const bytes = await folderBytes(folder).catch(() => 0) // a folder that changes under the count is counted next time
    if (bytes > limits.maxBytes) stop.abort(tooLarge(limits))
    else if (!stopped) timer = setTimeout(look, limits.watchMs)
  }
  timer = setTimeout(look, limits.watchMs)
  return {
    stop() {
      stopped = true
      clearTimeout(timer)
    },
  }
}

function timedOut({ wallMs }: CloneLimits): FaultlineError {
  return new FaultlineError(
    'CLONE_TIMED_OUT',
    `Fetching the repository took longer than ${Math.round(wallMs / 1000)} s.`,
    'Retry the job, or clone a smaller branch.',
  )
}

/**
 * Runs work that writes into a folder, and aborts it through its signal when the caller's signal fires, the time is
 * over or the folder has grown too large. The size is checked again at the end, in case it grew faster than the watch
 * looked.
 *
 * @throws {FaultlineError} CLONE_TIMED_OUT, REPOSITORY_TOO_LARGE; the caller's reason when its signal fired; else what
 * the work throws.
 */
export async function withinLimits<T>(
  folder: string,
  limits: CloneLimits,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer.throwIfAborted()
  const stop = new AbortController()
  const signal = AbortSignal.any([outer, stop.signal])
  const timer = setTimeout(() => stop.abort(timedOut(limits)), limits.wallMs)
  const watch = watchSize(folder, limits, stop)
  try {
    const result = await work(signal)
    if ((await folderBytes(folder)) > limits.maxBytes) throw tooLarge(limits)
    signal.throwIfAborted()
    return result
  } catch (error) {
    outer.throwIfAborted()
    if (stop.signal.aborted) throw stop.signal.reason
    throw error
  } finally {
    clearTimeout(timer)
    watch.stop()
  }
}
