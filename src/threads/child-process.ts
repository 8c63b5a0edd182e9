import { fork, type ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { fromPlainError } from '../core/errors.ts'
import { requirePipes } from '../core/open-files.ts'
import type { FromChild, ToChild } from './child-side.ts'
import type { Peer } from './rpc.ts'

/** How a child process is started and ended. */
export interface ChildOptions {
  /** For young objects: the more, the less often they are gone through. */
  semiSpaceMb: number
  /** For all other objects; left out: what V8 allows. A process that needs more is lost. */
  oldSpaceMb?: number
  /** Threads that compile and collect garbage beside its own; left out: four. */
  v8Threads?: number
  /** In place of the variables of this process. */
  env?: NodeJS.ProcessEnv
  /** Milliseconds that it has to come to its end by itself. */
  endMs: number
}

/** Young objects of a process that mostly waits need little room. */
const MOSTLY_WAITS: ChildOptions = { semiSpaceMb: 2, endMs: 2_000 }

/** The end in this process of the channel to one module of a child process. */
class ChildPeer extends EventEmitter implements Peer {
  readonly #id: number
  readonly #child: Child

  constructor(id: number, child: Child) {
    super()
    this.#id = id
    this.#child = child
  }

  postMessage(message: unknown): void {
    this.#child.send({ channel: this.#id, message })
  }

  ref(): void {
    this.#child.hold(this.#id)
  }

  unref(): void {
    this.#child.letGo(this.#id)
  }

  async terminate(): Promise<void> {
    try {
      await this.#child.leave(this.#id)
    } finally {
      this.emit('exit', 0) // else its calls would wait for ever
    }
  }
}

/** A child process that serves several modules, one channel for each; it ends with the last of them. */
class Child {
  readonly #process: ChildProcess
  readonly #peers = new Map<number, ChildPeer>()
  /** The channels with calls under way, for which this process stays alive. */
  readonly #held = new Set<number>()
  readonly #endMs: number
  #next = 0
  hasEnded = false

  constructor(entry: URL, { semiSpaceMb, oldSpaceMb, v8Threads, env, endMs }: ChildOptions) {
    this.#endMs = endMs
    this.#process = fork(entry, {
      serialization: 'advanced',
      execArgv: [
        `--max-semi-space-size=${semiSpaceMb}`,
        ...(v8Threads === undefined ? [] : [`--v8-pool-size=${v8Threads}`]),
        ...(oldSpaceMb === undefined ? [] : [`--max-old-space-size=${oldSpaceMb}`]),
      ],
      env,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    requirePipes(this.#process)
    this.#unref()
    this.#process.on('message', (said: FromChild) => this.#take(said))
    this.#process.on('error', error => this.#end(error))
    this.#process.once('exit', (code, signal) =>
      this.#end(new Error(`The process ${signal === null ? `exited with code ${code}` : `was ended by ${signal}`}.`)),
    )
  }

  open(module: string, data: unknown): ChildPeer {
    const id = this.#next++
    const peer = new ChildPeer(id, this)
    this.#peers.set(id, peer)
    this.send({ channel: id, open: module, data })
    return peer
  }

  /** What cannot be sent any more is lost with the process, whose end its peers hear of. */
  send(message: ToChild): void {
    this.#process.send(message, () => {})
  }

  hold(id: number): void {
    this.#held.add(id)
    this.#process.ref()
    this.#process.channel?.ref()
  }

  letGo(id: number): void {
    this.#held.delete(id)
    if (this.#held.size === 0 && !this.hasEnded) this.#unref() // else `leave` waits for its end
  }

  /** Resolves when the module is served no more; with the last one, when the process has ended. */
  async leave(id: number): Promise<void> {
    if (!this.#peers.delete(id) || this.hasEnded) return
    this.letGo(id)
    this.send({ channel: id, end: true })
    if (this.#peers.size > 0) return
    this.hasEnded = true
    const ended = once(this.#process, 'exit')
    this.#process.ref()
    if (this.#process.connected) this.#process.disconnect() // a dying one has closed its end
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), this.#endMs)
    await ended
    clearTimeout(timer)
  }

  #unref(): void {
    this.#process.unref()
    this.#process.channel?.unref()
  }

  #take(said: FromChild): void {
    if ('message' in said) this.#peers.get(said.channel)?.emit('message', said.message)
    else if (said.channel === null) this.#end(fromPlainError(said.fault))
    else this.#lose(said.channel, fromPlainError(said.fault))
  }

  /** A module could not be loaded; the others go on. */
  #lose(id: number, error: Error): void {
    const peer = this.#peers.get(id)
    this.leave(id).catch(() => {}) // nobody has it any more
    peer?.emit('error', error)
  }

  #end(error: Error): void {
    this.hasEnded = true
    const peers = [...this.#peers.values()]
    this.#peers.clear()
    this.#held.clear()
    for (const peer of peers) peer.emit('error', error)
  }
}

/** By the file that they run. */
const children = new Map<string, Child>()

/**
 * One module of a child process, which all callers in this process share: it starts with the first of them, again after
 * its end, and ends with the last. What a process has in memory makes the start of programs slow; this one has nothing.
 *
 * @param entry - The file that the process runs; it calls `serveParent`.
 * @param module - As the entry names it.
 */
export function openInChild(entry: URL, module: string, data: unknown): Peer {
  const running = children.get(entry.href)
  const child = running === undefined || running.hasEnded ? new Child(entry, MOSTLY_WAITS) : running
  children.set(entry.href, child)
  return child.open(module, data)
}

/** As `openInChild`, in a process that nothing else shares. */
export const openOwnChild = (entry: URL, module: string, data: unknown, options: ChildOptions): Peer =>
  new Child(entry, options).open(module, data)
