import { fromPlainError, toPlainError, type PlainError } from '../core/errors.ts'
import { serve, type Channel } from './rpc.ts'

/**
 * What a task says of itself on its port: that it has begun to work, or does so again; that it opens an index, as
 * others would have to; that it waits for another service.
 */
export interface TaskState {
  state: 'works' | 'opens' | 'waits'
}

/** Where a task says what it does. */
export interface TaskPort {
  postMessage(message: unknown): void
}

/** What a task's function answers: classes do not survive the way between processes. */
export type TaskReply<T> = { ok: true; result: T } | { ok: false; error: PlainError }

type Task = (given: never) => Promise<TaskReply<unknown>>

/** What such a function is given, but for the port, which the pool adds. */
export type RequestOf<F extends Task> = Omit<Parameters<F>[0], 'port'>

/** What such a function returns where it does not fail. */
export type ResultOf<F extends Task> = Extract<Awaited<ReturnType<F>>, { ok: true }>['result']

/** At work: says on a task's port what the task does. */
export const say = (port: TaskPort, state: TaskState['state']): void => port.postMessage({ state } satisfies TaskState)

/** At work: the result of a task, or its error as plain data. */
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

/** What a process that runs tasks serves. */
export interface TaskProcess {
  /** Calls an exported function of the module; `onMessage` gets what it posts on its port. */
  run(name: string, task: object, onMessage: (message: unknown) => void): Promise<unknown>
  close(): Promise<void>
}

type TaskModule = Readonly<Record<string, (task: never) => unknown>>

let settings: object = {}

/** What the module of tasks was started with; it reads them as it is loaded. */
export const taskSettings = (): object => settings

/** Says what modules that are loaded from now on were started with. */
export function giveTaskSettings(given: object): void {
  settings = given
}

/** Serves the functions of a module, which is loaded with the first settings. */
export const servesTasks =
  (load: () => Promise<object>) =>
  (channel: Channel, given: object): void => {
    giveTaskSettings(given)
    const module = load() as Promise<TaskModule>
    module.catch(() => {}) // each call rejects with it
    const functions: TaskProcess = {
      async run(name, task, onMessage) {
        const work = (await module)[name]
        if (work === undefined) throw new TypeError(`This module has no ${name}.`)
        return await work({ ...task, port: { postMessage: onMessage } } as never)
      },
      close: async () => {},
    }
    serve(channel, functions)
  }
