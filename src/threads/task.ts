import type { MessagePort } from 'node:worker_threads'
import { fromPlainError, toPlainError, type PlainError } from '../core/errors.ts'

/**
 * What a task says of itself on its port: that it has begun to work, or does so again; that it opens an index, as
 * others would have to; that it waits for another service.
 */
export interface TaskState {
  state: 'works' | 'opens' | 'waits'
}

/** What a thread's functions answer: classes do not survive the way between threads. */
export type TaskReply<T> = { ok: true; result: T } | { ok: false; error: PlainError }

type Task = (given: never) => Promise<TaskReply<unknown>>

/** What a function of a thread is given, but for the port, which the pool adds. */
export type RequestOf<F extends Task> = Omit<Parameters<F>[0], 'port'>

/** What a function of a thread returns where it does not fail. */
export type ResultOf<F extends Task> = Extract<Awaited<ReturnType<F>>, { ok: true }>['result']

/** In the thread: says on a task's port what the task does. */
export const say = (port: MessagePort, state: TaskState['state']): void =>
  port.postMessage({ state } satisfies TaskState)

/** In the thread: the result of a task, or its error as plain data. */
export async function replyOf<T>(work: () => Promise<T>): Promise<TaskReply<T>> {
  try {
    return { ok: true, result: await work() }
  } catch (error) {
    return { ok: false, error: toPlainError(error) }
  }
}

/** Outside of it: the result of a task. @throws The task's error. */
export function resultOf<T>(reply: TaskReply<T>): T {
  if (reply.ok) return reply.result
  throw fromPlainError(reply.error)
}
