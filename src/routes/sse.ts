import type { FastifyReply, FastifyRequest } from 'fastify'
import { FaultlineError } from '../core/errors.ts'

const MAX_BUFFERED_BYTES = 256 * 1024

export interface EventStream {
  /** Fires when the client has gone. */
  readonly signal: AbortSignal
  /** False when the client reads too slowly and was cut off; it may come back with Last-Event-ID. */
  send (event: string, data: unknown, id?: number): boolean
  /** Resolves when the client has taken what was sent, or is gone. */
  drained (): Promise<void>
  comment (text: string): void
  sendProblem (error: unknown): void
  end (): void
}

/** Takes the response over as a stream of server-sent events; Fastify's time limits no longer apply to it. */
export function openEventStream (request: FastifyRequest, reply: FastifyReply): EventStream {
  reply.hijack()
  const { raw } = reply
  const controller = new AbortController()
  raw.on('close', () => controller.abort())
  raw.on('error', () => controller.abort())
  const headers = Object.entries(reply.getHeaders()).filter((entry): entry is [string, string | number | string[]] => entry[1] !== undefined)
  raw.writeHead(200, { ...Object.fromEntries(headers), 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
  raw.write(': open\n\n') // so that the client sees the stream at once

  function write (text: string): boolean {
    if (raw.destroyed || raw.writableEnded) return false
    if (raw.writableLength > MAX_BUFFERED_BYTES) { raw.destroy(); return false }
    raw.write(text)
    return true
  }

  return {
    signal: controller.signal,
    send: (event, data, id) => write(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`), // JSON has no raw newline
    comment: text => { write(`: ${text}\n\n`) },
    async drained () {
      if (!raw.writableNeedDrain || controller.signal.aborted) return
      await new Promise<void>(resolve => {
        const end = () => { raw.off('drain', end); controller.signal.removeEventListener('abort', end); resolve() }
        raw.once('drain', end)
        controller.signal.addEventListener('abort', end)
      })
    },
    sendProblem (error) {
      const known = error instanceof FaultlineError
      if (!known) request.log.error({ err: error }, 'stream failed')
      write(`event: error\ndata: ${JSON.stringify({ type: 'about:blank', title: 'Error', detail: known ? error.message : 'Something broke here; the log has it under this request id.', instance: request.id, code: known ? error.code : 'INTERNAL', fix: known ? error.fix : undefined })}\n\n`)
    },
    end: () => { raw.end() },
  }
}
