import { FaultlineError, fromPlainError, toPlainError, WorkerLostError, type PlainError } from '../core/errors.ts'

/** One end of a way for messages, which are copied: a port between threads, or a channel between processes. */
export interface Channel {
  on(event: 'message', listener: (message: unknown) => void): unknown
  postMessage(message: unknown): void
}

/** A thread, or a module of another process, as its caller has it. `exit` may follow `error`. */
export interface Peer extends Channel {
  on(event: 'message', listener: (message: unknown) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'exit', listener: (code: number) => void): unknown
  /** Keeps this process alive, which it does not at first. */
  ref(): void
  unref(): void
  terminate(): Promise<unknown>
}

/**
 * Calls of functions that a peer serves. Arguments and answers are copied. A signal and listeners may stand among the
 * arguments or as fields of one of them: aborts travel to the peer, calls of listeners come back from it.
 */
type Served<T> = { [Name in keyof T]: (...args: never[]) => Promise<unknown> }

/** Listeners of what a peer says unasked, by name. */
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

/** A listener in the peer of what its starter wants to hear of, whether or not anything is called. */
export const noticeTo =
  <Args extends unknown[]>(channel: Channel, notice: string) =>
  (...args: Args): void =>
    channel.postMessage({ notice, args } satisfies Reply)

/** Lets the other side of the channel call the functions of these objects, any number of them at once. */
export function serve(channel: Channel, ...objects: readonly object[]): void {
  const running = new Map<number, AbortController>()

  function find(name: string): (...args: unknown[]) => unknown {
    for (const object of objects as Array<Record<string, unknown>>) {
      const found = object[name]
      if (typeof found === 'function') return (...args) => found.apply(object, args) as unknown
    }
    throw new TypeError(`What works here serves no ${name}.`)
  }

  async function answer({ id, name, args, signal, listeners }: CallMessage): Promise<void> {
    const controller = new AbortController()
    running.set(id, controller)
    if (signal !== null) putAt(args, signal, controller.signal)
    for (const [listener, place] of listeners.entries()) {
      putAt(args, place, (...given: unknown[]) => channel.postMessage({ id, listener, args: given } satisfies Reply))
    }
    try {
      channel.postMessage({ id, result: await find(name)(...args) } satisfies Reply)
    } catch (error) {
      channel.postMessage({ id, error: toPlainError(error) } satisfies Reply)
    } finally {
      running.delete(id)
    }
  }

  channel.on('message', given => {
    const message = given as Message
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

/** A living peer and the calls that it has not answered. */
class Connection {
  readonly peer: Peer
  /** Calls wait for it, where there is one. */
  ready: Promise<unknown> | undefined
  #broken: Error | undefined
  readonly #pending = new Map<number, Pending>()
  #next = 0

  constructor(peer: Peer, notices: Readonly<Record<string, Listener | undefined>>) {
    this.peer = peer
    peer.unref()
    peer.on('message', said => {
      const reply = said as Reply
      if ('notice' in reply) notices[reply.notice]?.(...reply.args)
      else this.#take(reply)
    })
  }

  async call(name: string, { args, signal, signalAt, listeners, listenersAt }: Parcel): Promise<unknown> {
    if (this.#broken !== undefined) throw this.#broken
    signal?.throwIfAborted()
    const id = this.#next++
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const broken = new AbortController()
    const abort = (reason: unknown): void => {
      this.peer.postMessage({ id, abort: toPlainError(reason) } satisfies Message)
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
    this.peer.ref()
    signal?.addEventListener('abort', passOn)
    try {
      this.peer.postMessage({ id, name, args, signal: signalAt, listeners: listenersAt } satisfies Message)
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
    this.#broken ??= error
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
    if (this.#pending.size === 0) this.peer.unref()
  }
}

/** Who hears of what a peer does unasked, and what may be done twice. */
interface RemoteOptions<N extends Notices<N>, Name extends string = string> {
  /** Gets the reason why a peer ended that was not to end; the next call starts another. */
  onCrash: (error: unknown) => void
  notices?: N
  /** Functions that are called once more, in the next peer, when the one at work on them was lost. */
  repeatable?: readonly Name[]
  /** A function that puts away what a lost peer left; in the next one it is called before all others. */
  recover?: Name
}

const hasEnded = (): FaultlineError => new FaultlineError('SHUTTING_DOWN', 'What works on this has ended.')

/** Starts a peer when it is called, and another one when that broke down, until it is closed. */
class Remote {
  readonly #start: () => Peer
  readonly #onCrash: (error: unknown) => void
  readonly #notices: Readonly<Record<string, Listener | undefined>>
  readonly #repeatable: ReadonlySet<string>
  readonly #recover: string | undefined
  #hasLost = false
  #connection: Connection | undefined
  #closing: Promise<void> | undefined

  constructor(start: () => Peer, { onCrash, notices = {}, repeatable = [], recover }: RemoteOptions<object>) {
    this.#start = start
    this.#onCrash = onCrash
    this.#notices = notices as Readonly<Record<string, Listener | undefined>>
    this.#repeatable = new Set(repeatable)
    this.#recover = recover
  }

  async call(name: string, args: readonly unknown[]): Promise<unknown> {
    const parcel = new Parcel(args)
    try {
      return await this.#callOnce(name, parcel)
    } catch (error) {
      if (!(error instanceof WorkerLostError) || !this.#repeatable.has(name)) throw error
      return await this.#callOnce(name, parcel)
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#end()
    return this.#closing
  }

  async #callOnce(name: string, parcel: Parcel): Promise<unknown> {
    parcel.signal?.throwIfAborted()
    if (this.#connection === undefined && this.#closing !== undefined) throw hasEnded()
    const connection = (this.#connection ??= this.#connect())
    if (connection.ready !== undefined) await connection.ready
    return await connection.call(name, parcel)
  }

  #connect(): Connection {
    const connection = new Connection(this.#start(), this.#notices)
    let hasCrashed = false
    const leave = (error: Error): void => {
      if (this.#connection === connection) this.#connection = undefined
      connection.break(error)
    }
    connection.peer.on('error', error => {
      hasCrashed = true
      leave(this.#crashed(error))
    })
    connection.peer.once('exit', code => {
      if (hasCrashed) return
      leave(this.#closing === undefined ? this.#crashed(new Error(`The thread exited with code ${code}.`)) : hasEnded())
    })
    if (this.#hasLost && this.#recover !== undefined) {
      connection.ready = connection.call(this.#recover, new Parcel([])).catch((error: unknown) => {
        if (!(error instanceof WorkerLostError)) this.#onCrash(error)
      })
    }
    return connection
  }

  #crashed(cause: unknown): WorkerLostError {
    this.#hasLost = true
    this.#onCrash(cause)
    return new WorkerLostError({ cause })
  }

  async #end(): Promise<void> {
    try {
      await this.#connection?.call('close', new Parcel([]))
    } finally {
      await this.#connection?.peer.terminate()
    }
  }
}

/**
 * The functions of one peer that lives as long as its caller. Unlike the threads of a pool it goes on with its other
 * calls when one of them is aborted: that one rejects with the signal's reason as soon as the function has come to its
 * end. This process does not stay alive for it while nothing is called. An error that nothing in it caught, too little
 * memory, or a signal ends the peer and the calls under way; the next call starts another. A listener that throws ends
 * its call, which rejects with what it threw. `close` lets the peer close what it serves and ends it, once.
 *
 * Each function rejects with the FaultlineError that the served one threw; with SHUTTING_DOWN after `close`; with a
 * WorkerLostError and its cause when the peer broke down meanwhile.
 */
export function remoteOf<T extends Served<T> & { close(): Promise<unknown> }, N extends Notices<N> = object>(
  start: () => Peer,
  options: RemoteOptions<N, keyof T & string>,
): T {
  const remote = new Remote(start, options)
  const functions = new Map<string, (...args: unknown[]) => Promise<unknown>>([['close', () => remote.close()]])
  return new Proxy({} as T, {
    get(own, name) {
      if (typeof name === 'symbol' || name === 'then') return undefined
      const known = functions.get(name) ?? ((...args: unknown[]) => remote.call(name, args))
      functions.set(name, known)
      return Reflect.get(own, name) ?? known
    },
  })
}
