import type { MessagePort } from 'node:worker_threads'
import { FaultlineError, fromPlainError, toPlainError, type PlainError } from '../core/errors.ts'
import type { Thread } from './entry.ts'

/**
 * Calls of functions that another thread serves. Arguments and answers are copied. A signal and listeners may stand
 * among the arguments or as fields of one of them: aborts travel to the thread, calls of listeners come back from it.
 */
type Served<T> = { [Name in keyof T]: (...args: never[]) => Promise<unknown> }

/** Listeners of what a thread says unasked, by name. */
type Notices<T> = { [Name in keyof T]?: (...args: never[]) => void }

/** The position of what cannot be sent: an argument, or a field of one. */
type Place = [argument: number, field: string | null]

interface CallMessage {
  id: number
  name: string
  args: unknown[]
  signal: Place | null
  listeners: Place[]
}
type Message = CallMessage | { id: number; abort: PlainError }
type Reply =
  | { id: number; result: unknown }
  | { id: number; error: PlainError }
  | { id: number; listener: number; args: unknown[] }
  | { notice: string; args: unknown[] }

type Listener = (...args: unknown[]) => void

function putAt(args: unknown[], [argument, field]: Place, value: unknown): void {
  if (field === null) args[argument] = value
  else (args[argument] as Record<string, unknown>)[field] = value
}

/** A listener in the thread of what its starter wants to hear of, whether or not anything is called. */
export const noticeTo =
  <Args extends unknown[]>(port: MessagePort, notice: string) =>
  (...args: Args): void =>
    port.postMessage({ notice, args } satisfies Reply)

/** Lets the other side of the port call the functions of these objects, any number of them at once. */
export function serve(port: MessagePort, ...objects: readonly object[]): void {
  const running = new Map<number, AbortController>()

  function find(name: string): (...args: unknown[]) => unknown {
    for (const object of objects as Array<Record<string, unknown>>) {
      const found = object[name]
      if (typeof found === 'function') return (...args) => found.apply(object, args) as unknown
    }
    throw new TypeError(`This thread serves no ${name}.`)
  }

  async function answer({ id, name, args, signal, listeners }: CallMessage): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    if (signal !== null) putAt(args, signal, controller.signal)
    for (const [listener, place] of listeners.entries()) {
      putAt(args, place, (...given: unknown[]) => port.postMessage({ id, listener, args: given } satisfies Reply))
    }
    try {
      port.postMessage({ id, result: await find(name)(...args) } satisfies Reply)
    } catch (error) {
      port.postMessage({ id, error: toPlainError(error) } satisfies Reply)
    } finally {
      running.delete(id)
    }
  }

  port.on('message', (message: Message) => {
    if ('abort' in message) {
      running.get(message.id)?.abort(fromPlainError(message.abort))
      return
    }
    answer(message).catch((error: unknown) => {
      throw error
    })
  })
}

const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The arguments of a call without what cannot be sent, which stands beside them. */
class Parcel {
  readonly args: unknown[]
  signal: AbortSignal | undefined
  signalAt: Place | null = null
  readonly listeners: Listener[] = []
  readonly listenersAt: Place[] = []

  constructor(given: readonly unknown[]) {
    this.args = given.map((value, argument) => {
      if (this.#keeps(value, [argument, null])) return undefined
      if (!isPlainObject(value)) return value
      return Object.fromEntries(Object.entries(value).filter(([field, item]) => !this.#keeps(item, [argument, field])))
    })
  }

  #keeps(value: unknown, place: Place): boolean {
    if (value instanceof AbortSignal) {
      this.signal = value
      this.signalAt = place
      return true
    }
    if (typeof value !== 'function') return false
    this.listeners.push(value as Listener)
    this.listenersAt.push(place)
    return true
  }
}

interface Pending {
  resolve: (result: unknown) => void
  reject: (error: unknown) => void
  hear: (listener: number, args: unknown[]) => void
}

/** A living thread and the calls that it has not answered. */
class Connection {
  readonly thread: Thread
  readonly #pending = new Map<number, Pending>()
  #next = 0

  constructor(thread: Thread, notices: Readonly<Record<string, Listener | undefined>>) {
    this.thread = thread
    thread.unref()
    thread.on('message', (reply: Reply) => {
      if ('notice' in reply) notices[reply.notice]?.(...reply.args)
      else this.#take(reply)
    })
  }

  async call(name: string, { args, signal, signalAt, listeners, listenersAt }: Parcel): Promise<unknown> {
    const id = this.#next++
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const broken = new AbortController()
    const abort = (reason: unknown): void => {
      this.thread.postMessage({ id, abort: toPlainError(reason) } satisfies Message)
    }
    const hear = (listener: number, heard: unknown[]): void => {
      if (broken.signal.aborted) return
      try {
        listeners[listener]?.(...heard)
      } catch (error) {
        broken.abort(error)
        abort(error)
      }
    }
    const passOn = (): void => abort(signal?.reason)
    this.#pending.set(id, { resolve, reject, hear })
    this.thread.ref()
    signal?.addEventListener('abort', passOn)
    try {
      this.thread.postMessage({ id, name, args, signal: signalAt, listeners: listenersAt } satisfies Message)
      const result = await promise
      broken.signal.throwIfAborted()
      return result
    } catch (error) {
      this.#settle(id)
      broken.signal.throwIfAborted()
      signal?.throwIfAborted()
      throw error
    } finally {
      signal?.removeEventListener('abort', passOn)
    }
  }

  /** Rejects what is under way; nothing is called here any more. */
  break(error: Error): void {
    for (const { reject } of this.#pending.values()) reject(error)
    this.#pending.clear()
  }

  #take(reply: Exclude<Reply, { notice: string }>): void {
    const call = this.#pending.get(reply.id)
    if (call === undefined) return
    if ('listener' in reply) {
      call.hear(reply.listener, reply.args)
      return
    }
    this.#settle(reply.id)
    if ('error' in reply) call.reject(fromPlainError(reply.error))
    else call.resolve(reply.result)
  }

  #settle(id: number): void {
    this.#pending.delete(id)
    if (this.#pending.size === 0) this.thread.unref()
  }
}

/** Who hears of what a thread does unasked. */
interface RemoteOptions<N extends Notices<N>> {
  /** Gets the reason why a thread ended that was not to end; the next call starts another. */
  onCrash: (error: unknown) => void
  notices?: N
}

const hasEnded = (): FaultlineError => new FaultlineError('SHUTTING_DOWN', 'The thread for this has ended.')

/** Starts a thread when it is called, and another one when that broke down, until it is closed. */
class RemoteThread {
  readonly #start: () => Thread
  readonly #onCrash: (error: unknown) => void
  readonly #notices: Readonly<Record<string, Listener | undefined>>
  #connection: Connection | undefined
  #closing: Promise<void> | undefined

  constructor(start: () => Thread, { onCrash, notices = {} }: RemoteOptions<object>) {
    this.#start = start
    this.#onCrash = onCrash
    this.#notices = notices as Readonly<Record<string, Listener | undefined>>
  }

  async call(name: string, args: readonly unknown[]): Promise<unknown> {
    const parcel = new Parcel(args)
    parcel.signal?.throwIfAborted()
    if (this.#connection === undefined && this.#closing !== undefined) throw hasEnded()
    this.#connection ??= this.#connect()
    return await this.#connection.call(name, parcel)
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  #connect(): Connection {
    const connection = new Connection(this.#start(), this.#notices)
    let hasCrashed = false
    const leave = (error: Error): void => {
      if (this.#connection === connection) this.#connection = undefined
      connection.break(error)
    }
    connection.thread.on('error', error => {
      hasCrashed = true
      leave(this.#crashed(error))
    })
    connection.thread.once('exit', code => {
      if (hasCrashed) return
      leave(this.#closing === undefined ? this.#crashed(new Error(`The thread exited with code ${code}.`)) : hasEnded())
    })
    return connection
  }

  #crashed(cause: unknown): Error {
    this.#onCrash(cause)
    return new Error('The thread for this broke down.', { cause })
  }

  async #end(): Promise<void> {
    try {
      await this.#connection?.call('close', new Parcel([]))
    } finally {
      await this.#connection?.thread.terminate()
    }
  }
}

/**
 * The functions of one thread that lives as long as its caller. Unlike the threads of a pool it goes on with its other
 * calls when one of them is aborted: that one rejects with the signal's reason as soon as the function has come to its
 * end. The process does not stay for it while nothing is called. An error that nothing in it caught, or too little
 * memory, ends the thread and the calls under way; the next call starts another. A listener that throws ends its call,
 * which rejects with what it threw. `close` lets the thread close what it serves and ends it, once.
 *
 * Each function rejects with the FaultlineError that the served one threw; with SHUTTING_DOWN after `close`; with an
 * Error and its cause when the thread broke down meanwhile.
 */
export function remoteOf<T extends Served<T> & { close(): Promise<unknown> }, N extends Notices<N> = object>(
  start: () => Thread,
  options: RemoteOptions<N>,
): T {
  const thread = new RemoteThread(start, options)
  const functions = new Map<string, (...args: unknown[]) => Promise<unknown>>([['close', () => thread.close()]])
  return new Proxy({} as T, {
    get(own, name) {
      if (typeof name === 'symbol' || name === 'then') return undefined
      const known = functions.get(name) ?? ((...args: unknown[]) => thread.call(name, args))
      functions.set(name, known)
      return Reflect.get(own, name) ?? known
    },
  })
}
