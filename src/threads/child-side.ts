import { EventEmitter } from 'node:events'
import { toPlainError, type PlainError } from '../core/errors.ts'
import type { Channel } from './rpc.ts'

/** What comes from the process that started this one; a channel is the way to one module. */
export type ToChild =
  | { channel: number; open: string; data: unknown }
  | { channel: number; message: unknown }
  | { channel: number; end: true }

/** What goes back. A fault that nothing caught has no channel: the process ends with it. */
export type FromChild = { channel: number; message: unknown } | { channel: number | null; fault: PlainError }

type Serve = (channel: Channel, data: never) => void

/** What a child process can serve, by name; each is loaded when it is asked for. */
type ChildModules = Readonly<Record<string, () => Promise<Serve>>>

const say = (message: FromChild, sent: () => void = () => {}): void => {
  process.send?.(message, sent)
}

/** The end in this process of one channel. */
class ChildChannel extends EventEmitter implements Channel {
  readonly #id: number

  constructor(id: number) {
    super()
    this.#id = id
  }

  postMessage(message: unknown): void {
    say({ channel: this.#id, message })
  }
}

async function open(
  modules: ChildModules,
  { channel: id, open: name, data }: { channel: number; open: string; data: unknown },
): Promise<ChildChannel> {
  const channel = new ChildChannel(id)
  try {
    const serve = await modules[name]?.()
    if (serve === undefined) throw new TypeError(`This process serves no ${name}.`)
    serve(channel, data as never)
  } catch (error) {
    say({ channel: id, fault: toPlainError(error) })
  }
  return channel
}

/** Serves modules to the process that started this one, and ends with it. To be called once. */
export function serveParent(modules: ChildModules): void {
  const channels = new Map<number, Promise<ChildChannel>>()

  process.on('message', (given: ToChild) => {
    if ('open' in given) channels.set(given.channel, open(modules, given))
    else if ('end' in given) channels.delete(given.channel)
    else channels.get(given.channel)?.then(channel => channel.emit('message', given.message))
  })

  process.on('uncaughtException', error => {
    say({ channel: null, fault: toPlainError(error) }, () => process.exit(1))
  })

  // A terminal's Ctrl-C and a supervisor's SIGTERM go to all processes of a service: the server ends this one when its
  // jobs have come to rest.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})

  process.on('disconnect', () => process.exit())
}
