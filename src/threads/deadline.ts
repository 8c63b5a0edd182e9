import { FaultlineError } from '../core/errors.ts'
import type { TaskPort, TaskState } from './task.ts'

/** How long a task may wait and work, and who hears of its progress. */
export interface TaskLimits<Progress = unknown> {
  onProgress?: (progress: Progress) => void
  /** Milliseconds of work, after which it is given up; what a task opens and waits for counts as none. */
  timeoutMs?: number
  /** Milliseconds to wait until it begins. */
  queueMs?: number
}

/** The two deadlines of a task: to begin, and to come to its end. */
export interface Deadlines {
  /** Where the task says what it does. */
  port: TaskPort
  /** Fires with OVERLOADED. */
  waitedTooLong: AbortSignal
  /** Fires with RESOLVE_TIMED_OUT. */
  workedTooLong: AbortSignal
  close(): void
}

const OVERLOADED = new FaultlineError('OVERLOADED', 'All threads are busy.', 'Send the request again in a few seconds.')
const tooLong = (ms: number) =>
  new FaultlineError(
    'RESOLVE_TIMED_OUT',
    `Working on this text took more than ${ms / 1000} s.`,
    'Send a shorter part of it.',
  )

/** The deadlines of one task, whose clock begins to run now and follows the states that the task reports. */
export function startDeadlines<Progress>({ onProgress, timeoutMs, queueMs }: TaskLimits<Progress>): Deadlines {
  let hasEnded = false
  const waited = new AbortController()
  const worked = new AbortController()
  let timer = queueMs === undefined ? undefined : setTimeout(() => waited.abort(OVERLOADED), queueMs)

  function enter(state: TaskState['state'] | 'ended'): void {
    clearTimeout(timer)
    timer =
      state !== 'works' || timeoutMs === undefined
        ? undefined
        : setTimeout(() => worked.abort(tooLong(timeoutMs)), timeoutMs)
  }

  function take(message: TaskState | { progress: Progress }): void {
    if (hasEnded) return
    if ('progress' in message) onProgress?.(message.progress)
    else enter(message.state)
  }

  return {
    port: { postMessage: message => take(message as TaskState | { progress: Progress }) },
    waitedTooLong: waited.signal,
    workedTooLong: worked.signal,
    close() {
      enter('ended')
      hasEnded = true
    },
  }
}
