import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import { FaultlineError } from '../../core/errors.ts'
import { toProblem } from './problems.ts'

declare module 'fastify' {
  interface FastifyReply {
    /**
     * Takes the response over as a stream of server-sent events; Fastify's time limits no longer apply to it.
     *
     * @throws {FaultlineError} RATE_LIMITED when the client holds as many streams as it may.
     */
    openEventStream(): EventStream
  }
}

/** A response that is a stream of server-sent events. */
interface EventStream {
  /** Queues an event; nothing happens when the client has gone. */
  send(event: string, data: unknown, id?: number): void
  /**
   * Queues a text as a message without a name, which is what a page puts into itself.
   *
   * @param id - What a client says it has when it comes again; on one line.
   */
  sendText(text: string, id?: string): void
  /** Resolves when what was queued is on its way, or the client is gone. */
  drained(): Promise<void>
  /** The `error` event: the problem that the client would have got without a stream. */
  sendProblem(error: unknown): void
  /**
   * Ends the stream after what was queued.
   *
   * @param more - There would be more: the client is asked to come again soon, where another node may answer.
   */
  end(more?: boolean): void
  /** Ends it at once; the client sees that it was cut off, and may come again. */
  cut(): void
}

/** How many streams there may be, and how long they live. */
export interface EventStreamOptions {
  /** At once, for all clients together: the rest of the connections is for other requests. */
  streams?: number
  /** At once, for an API key, or an address where there are no keys. */
  streamsPerClient?: number
  /** Milliseconds between comments that keep the connection alive. */
  heartbeatMs?: number
  /** Milliseconds without any byte being taken after which a client is cut off; more than `heartbeatMs`. */
  stallMs?: number
}

/**
 * More events than a long answer has tokens; their number counts, not their size, since one event may hold 150,000
 * tokens of code.
 */
const MAX_QUEUED_EVENTS = 50_000

/** When a client comes again whose stream was ended though there would be more. */
const COME_AGAIN_MS = 1_000

export default fp<EventStreamOptions>(
  async (app, { streams = 500, streamsPerClient = 100, heartbeatMs = 15_000, stallMs = 30_000 }) => {
    const openByClient = new Map<string, number>()
    let openNow = 0

    function takePlace(client: string): () => void {
      const open = openByClient.get(client) ?? 0
      if (open >= streamsPerClient) {
        throw new FaultlineError(
          'RATE_LIMITED',
          `${open} streams are open already.`,
          'Close one, or ask without Accept: text/event-stream.',
        )
      }
      if (openNow >= streams) {
        throw new FaultlineError(
          'OVERLOADED',
          `The server holds as many streams as it may (${streams}).`,
          'Try again later, or ask without Accept: text/event-stream.',
        )
      }
      openNow++
      openByClient.set(client, open + 1)
      return () => {
        openNow--
        const left = (openByClient.get(client) ?? 1) - 1
        if (left > 0) openByClient.set(client, left)
        else openByClient.delete(client)
      }
    }

    function openEventStream(this: FastifyReply): EventStream {
      const { request, raw } = this
      const leave = takePlace(request.keyName ?? request.forwarded?.ip ?? request.ip)
      const gone = new Promise<void>(resolve => {
        raw.once('close', resolve)
      })
      const isOver = (): boolean => raw.destroyed || raw.writableEnded
      let queued = 0
      let last = Promise.resolve()

      async function writeNow(text: string): Promise<void> {
        if (isOver() || raw.write(text)) return
        const { promise, resolve } = Promise.withResolvers<void>()
        raw.once('drain', resolve)
        await Promise.race([promise, gone])
        raw.off('drain', resolve)
      }

      function write(text: string): void {
        if (isOver()) return
        if (++queued > MAX_QUEUED_EVENTS) {
          raw.destroy()
          return
        }
        last = last
          .then(() => writeNow(text))
          .finally(() => {
            queued--
          })
      }

      this.hijack()
      const headers = Object.entries(this.getHeaders()).filter(
        (entry): entry is [string, string | number | string[]] => entry[1] !== undefined,
      )
      raw.writeHead(200, {
        ...Object.fromEntries(headers),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
      })
      raw.on('error', () => raw.destroy())
      // Node counts a socket as idle when it takes no byte, however much waits for it
      raw.setTimeout(stallMs, () => raw.destroy())
      const heartbeat = setInterval(() => write(': still here\n\n'), heartbeatMs)
      raw.once('close', () => {
        clearInterval(heartbeat)
        leave()
      })
      if (request.method === 'HEAD') raw.end() // its answer has no body, so nothing would ever end it
      write(': open\n\n') // so that the client sees the stream at once

      const send: EventStream['send'] = (event, data, id) =>
        // JSON has no raw newline
        write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
      return {
        send,
        sendText: (text, id) =>
          write(
            `${id === undefined ? '' : `id: ${id}\n`}${text.replace(/^|\r\n?|\n/g, newLine => (newLine === '' ? 'data: ' : '\ndata: '))}\n\n`,
          ),
        drained: () => last,
        sendProblem(error) {
          if (!isOver()) send('error', toProblem(error, request))
        },
        end(more = false) {
          clearInterval(heartbeat)
          if (more) write(`retry: ${COME_AGAIN_MS}\n\n`)
          last = last.then(() => {
            raw.end()
          })
        },
        cut: () => {
          raw.destroy()
        },
      }
    }

    app.services.node.countStreams(() => openNow)
    app.decorateReply('openEventStream', openEventStream)
  },
  { name: 'event-streams', decorators: { request: ['keyName'] } },
)
