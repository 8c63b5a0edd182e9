import type { MessagePort, Worker } from 'node:worker_threads'
import { FaultlineError, fromPlainError, toPlainError, type PlainError } from './core/errors.ts'

/** What a function gets beside its task, which is plain data as its answer is. */
export interface ServedOptions {
  signal: AbortSignal
  onProgress: (progress: unknown) => void
}

/** Functions that a thread serves to another. */
type Functions = Record<string, (task: never, options: ServedOptions) => unknown>

type Message = { id: number, name: string, task: unknown } | { id: number, abort: PlainError }
type Reply = { id: number, result: unknown } | { id: number, error: PlainError } | { id: number, progress: unknown }

export interface CallOptions<Progress> {
  /** After it fires, the call rejects with its reason as soon as the function has come to its end. */
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
}

export interface Caller<F extends Functions> {
  /** @throws {FaultlineError} What the function throws as such; SHUTTING_DOWN when the thread has ended. */
  call<N extends keyof F & string, Progress = unknown> (name: N, task: Parameters<F[N]>[0], options?: CallOptions<Progress>): Promise<Awaited<ReturnType<F[N]>>>
  /** Ends the thread, whatever it does. */
  end (): Promise<void>
}

interface Pending {
  resolve: (result: unknown) => void
  reject: (error: Error) => void
  onProgress: ((progress: never) => void) | undefined
}

/** Lets the other side of the port call the functions, any number of them at once. */
export function serveCalls (port: MessagePort, functions: Functions): void {
  const running = new Map<number, AbortController>()

  async function run ({ id, name, task }: { id: number, name: string, task: unknown }): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    try {
      const onProgress = (progress: unknown): void => { port.postMessage({ id, progress } satisfies Reply) }
      port.postMessage({ id, result: await functions[name]?.(task as never, { signal: controller.signal, onProgress }) } satisfies Reply)
    } catch (error) {
      port.postMessage({ id, error: toPlainError(error) } satisfies Reply)
    } finally {
      running.delete(id)
    }
  }

  port.on('message', (message: Message) => {
    if ('abort' in message) running.get(message.id)?.abort(fromPlainError(message.abort))
    else run(message).catch((error: unknown) => { throw error })
  })
}

/**
 * Calls functions of one thread that lives as long as its caller. Unlike the threads of a pool it goes on with its other calls when one of them is aborted. The
 * process does not stay for it while nothing is called; an error that nothing in it caught is one of this process.
 */
export function callerOf<F extends Functions> (thread: Worker): Caller<F> {
  const pending = new Map<number, Pending>()
  let next = 0
  let hasEnded = false
  thread.unref()

  thread.on('message', (reply: Reply) => {
    const call = pending.get(reply.id)
    if (call === undefined) return
    if ('progress' in reply) { call.onProgress?.(reply.progress as never); return }
    settle(reply.id)
    if ('error' in reply) call.reject(fromPlainError(reply.error))
    else call.resolve(reply.result)
  })
  thread.once('exit', () => {
    hasEnded = true
    for (const { reject } of pending.values()) reject(ended())
    pending.clear()
  })

  function settle (id: number): void {
    pending.delete(id)
    if (pending.size === 0) thread.unref()
  }

  return {
    async call (name, task, { signal, onProgress } = {}) {
      signal?.throwIfAborted()
      if (hasEnded) throw ended()
      const id = next++
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      pending.set(id, { resolve, reject, onProgress })
      thread.ref()
      const abort = (): void => { thread.postMessage({ id, abort: toPlainError(signal?.reason) } satisfies Message) }
      signal?.addEventListener('abort', abort)
      try {
        thread.postMessage({ id, name, task } satisfies Message)
        return await promise as never
      } catch (error) {
        settle(id)
        signal?.throwIfAborted()
        throw error
      } finally {
        signal?.removeEventListener('abort', abort)
      }
    },
    async end () { await thread.terminate() },
  }
}

const ended = (): FaultlineError => new FaultlineError('SHUTTING_DOWN', 'The thread for this has ended.')
