import type { FastifyReply, FastifyRequest } from 'fastify'
import { ResolutionSchema, type ResolutionAnswer, type ResolveInput } from '../contract/resolution.ts'
import { toWire } from '../contract/wire.ts'
import { toProblem } from '../http/plugins/problems.ts'
import type { Resolving } from '../services/resolving.ts'
import { html, type Html, type Part } from './html.ts'
import { ANSWER_ID } from './parts/answer.ts'
import type { PageFrame } from './parts/page.ts'
import { resolutionPath } from './parts/resolution-forms.ts'

/** Whether the page that asks can put what comes into itself. */
export const wantsStream = ({ headers }: FastifyRequest): boolean => /\btext\/event-stream\b/.test(headers.accept ?? '')

interface AnswerAsked {
  request: FastifyRequest
  reply: FastifyReply
  input: ResolveInput
  frame: PageFrame
  /** The whole answer as markup. */
  written(resolution: ResolutionAnswer): Promise<Html | null>
}

/** Leads to the page of an answer; a script gives this page its address. */
const ownPage = (path: string): Html =>
  html`<p class="quiet"><a data-address href="${path}">The page of this answer</a></p>`

/** The model's words as they come, as pieces of markup; at the end the whole in their place. */
export async function streamAnswer(
  resolving: Pick<Resolving, 'resolve'>,
  { request, reply, input, frame, written }: AnswerAsked,
): Promise<void> {
  const stream = reply.openEventStream()
  const replace = (part: Part): void =>
    stream.sendText(html`<div hx-swap-oob="innerHTML:#${ANSWER_ID}">${part}</div>`.toString())
  try {
    replace(null) // the words of an attempt that failed
    const resolution = await resolving.resolve(input, {
      signal: request.clientSignal,
      onToken: text => stream.sendText(html`<span>${text}</span>`.toString()),
      onRestart: () => replace(null),
    })
    const answer = toWire(ResolutionSchema, resolution)
    replace([await written(answer), ownPage(resolutionPath(frame, answer.id))])
  } catch (error) {
    replace(html`<p role="alert">${toProblem(error, request).detail}</p>`)
  } finally {
    stream.end()
  }
}
