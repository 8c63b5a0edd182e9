import type { MessagePort, Worker } from 'node:worker_threads'
import { FaultlineError, fromPlainError, toPlainError, type PlainError } from '../core/errors.ts'

/** What a function gets beside its task, which is plain data as its answer is. */
export interface ServedOptions {
  signal: AbortSignal
  onProgress: (progress: unknown) => void
}

/** Functions that a thread serves to another. */
type Functions = Record<string, (task: never, options: ServedOptions) => unknown>

type Message = { id: number; name: string; task: unknown } | { id: number; abort: PlainError }
type Reply = { id: number; result: unknown } | { id: number; error: PlainError } | { id: number; progress: unknown }

export interface CallOptions<Progress> {
  /** After it fires, the call rejects with its reason as soon as the function has come to its end. */
  signal?: AbortSignal
  onProgress?: (progress: Progress) => void
}

export interface Caller<F extends Functions> {
  /**
   * Starts the thread when there is none.
   *
   * @throws {FaultlineError} What the function throws as such; SHUTTING_DOWN after `end`. An Error with its cause when
   * the thread broke down meanwhile.
   */
  call<N extends keyof F & string, Progress = unknown>(
    name: N,
    task: Parameters<F[N]>[0],
    options?: CallOptions<Progress>,
  ): Promise<Awaited<ReturnType<F[N]>>>
  /** Ends the thread, whatever else it does, when it has answered the call of `last`. Again is the same once. */
  end(last: keyof F & string): Promise<void>
}

interface Pending {
  resolve: (result: unknown) => void
  reject: (error: Error) => void
  onProgress: ((progress: never) => void) | undefined
}

/** Lets the other side of the port call the functions, any number of them at once. */
export function serveCalls(port: MessagePort, functions: Functions): void {
  const running = new Map<number, AbortController>()

  async function run({ id, name, task }: { id: number; name: string; task: unknown }): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    try {
      const onProgress = (progress: unknown): void => {
        port.postMessage({ id, progress } satisfies Reply)
      }
      port.postMessage({
        id,
        result: await functions[name]?.(task as never, { signal: controller.signal, onProgress }),
      } satisfies Reply)
    } catch (error) {
      port.postMessage({ id, error: toPlainError(error) } satisfies Reply)
    } finally {
      running.delete(id)
    }
  }

  port.on('message', (message: Message) => {
    if ('abort' in message) running.get(message.id)?.abort(fromPlainError(message.abort))
    else {
      run(message).catch((error: unknown) => {
        throw error
      })
    }
  })
}

/** The calls of a living thread that it has not answered. */
function callsOf(thread: Worker) {
  const pending = new Map<number, Pending>()
  let next = 0
  thread.unref()

  thread.on('message', (reply: Reply) => {
    const call = pending.get(reply.id)
    if (call === undefined) return
    if ('progress' in reply) {
      call.onProgress?.(reply.progress as never)
      return
    }
    settle(reply.id)
    if ('error' in reply) call.reject(fromPlainError(reply.error))
    else call.resolve(reply.result)
  })

  function settle(id: number): void {
    pending.delete(id)
    if (pending.size === 0) thread.unref()
  }

  return {
    thread,
    rejectAll(error: Error): void {
      for (const { reject } of pending.values()) reject(error)
      pending.clear()
    },
    async call(name: string, task: unknown, { signal, onProgress }: CallOptions<never> = {}): Promise<unknown> {
      const id = next++
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      pending.set(id, { resolve, reject, onProgress })
      thread.ref()
      const abort = (): void => {
        thread.postMessage({ id, abort: toPlainError(signal?.reason) } satisfies Message)
      }
      signal?.addEventListener('abort', abort)
      try {
        thread.postMessage({ id, name, task } satisfies Message)
        return await promise
      } catch (error) {
        settle(id)
        signal?.throwIfAborted()
        throw error
      } finally {
        signal?.removeEventListener('abort', abort)
      }
    },
  }
}

const ended = (): FaultlineError => new FaultlineError('SHUTTING_DOWN', 'The thread for this has ended.')

/**
 * Calls functions of one thread that lives as long as its caller. Unlike the threads of a pool it goes on with its
 * other calls when one of them is aborted. The process does not stay for it while nothing is called. An error that
 * nothing in it caught, or too little memory, ends the thread and the calls under way; the next call starts another.
 *
 * @param onCrash - Told why a thread ended that was not to end.
 */
export function callerOf<F extends Functions>(
  start: () => Worker,
  { onCrash }: { onCrash: (error: unknown) => void },
): Caller<F> {
  let calls: Calls | undefined
  let ending: Promise<void> | undefined

  function crashed(cause: unknown): Error {
    onCrash(cause)
    return new Error('The thread for this broke down.', { cause })
  }

  function connect(thread: Worker): Calls {
    const own = callsOf(thread)
    const leave = (error: Error): void => {
      if (calls === own) calls = undefined
      own.rejectAll(error)
    }
    let hasCrashed = false
    thread.on('error', error => {
      hasCrashed = true
      leave(crashed(error))
    })
    thread.once('exit', code => {
      if (!hasCrashed) {
        leave(ending === undefined ? crashed(new Error(`The thread exited with code ${code}.`)) : ended())
      }
    })
    return own
  }

  async function endAfter(last: string): Promise<void> {
    try {
      await calls?.call(last, undefined)
    } finally {
      await calls?.thread.terminate()
    }
  }

  return {
    async call(name, task, options = {}) {
      options.signal?.throwIfAborted()
      if (calls === undefined && ending !== undefined) throw ended()
      calls ??= connect(start())
      return (await calls.call(name, task, options)) as never
    },
    end(last) {
      ending ??= endAfter(last)
      return ending
    },
  }
}

type Calls = ReturnType<typeof callsOf>
