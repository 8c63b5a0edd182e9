import type { FastifyReply, FastifyRequest } from 'fastify'
import { ResolutionSchema, type ResolutionAnswer, type ResolveInput } from '../contract/resolution.ts'
import { toWire } from '../contract/wire.ts'
import { toProblem } from '../http/plugins/problems.ts'
import type { Resolving } from '../services/resolving.ts'
import { html, type Html, type Part } from './html.ts'
import { ANSWER_ID } from './parts/answer.ts'

/** Whether the page that asks can put what comes into itself. */
export const wantsStream = ({ headers }: FastifyRequest): boolean => /\btext\/event-stream\b/.test(headers.accept ?? '')

interface AnswerAsked {
  request: FastifyRequest
  reply: FastifyReply
  input: ResolveInput
  /** The whole answer as markup. */
  written(resolution: ResolutionAnswer): Promise<Html | null>
}

/** The model's words as they come, as pieces of markup; at the end the whole in their place. */
export async function streamAnswer(
  resolving: Pick<Resolving, 'resolve'>,
  { request, reply, input, written }: AnswerAsked,
): Promise<void> {
  const stream = reply.openEventStream()
  const replace = (part: Part): void =>
    stream.sendText(html`<div hx-swap-oob="innerHTML:#${ANSWER_ID}">${part}</div>`.toString())
  try {
    const resolution = await resolving.resolve(input, {
      signal: request.clientSignal,
      onToken: text => stream.sendText(html`<span>${text}</span>`.toString()),
      onRestart: () => replace(null),
    })
    replace(await written(toWire(ResolutionSchema, resolution)))
  } catch (error) {
    replace(html`<p role="alert">${toProblem(error, request).detail}</p>`)
  } finally {
    stream.end()
  }
}
