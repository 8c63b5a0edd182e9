import { styleText } from 'node:util'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FaultlineError } from '../core/errors.ts'

const MEDIA_TYPES = {
  json: 'application/json',
  text: 'text/plain',
  markdown: 'text/markdown',
  stream: 'text/event-stream',
  sarif: 'application/sarif+json',
  gitlab: 'application/vnd.faultline.gitlab+json',
  github: 'text/vnd.faultline.github',
  comment: 'text/vnd.faultline.comment',
} as const

/** How an answer is written; other than as JSON, text or Markdown only where a route says that it can. */
type AnswerType = keyof typeof MEDIA_TYPES
const WRITTEN: readonly AnswerType[] = ['json', 'text', 'markdown']

/** The media types of a route that answers for people, too. */
export const WRITTEN_TYPES = WRITTEN.map(type => MEDIA_TYPES[type])

/** What CI systems read. */
export const REPORT_TYPES = ['sarif', 'gitlab', 'github', 'comment'] as const satisfies readonly AnswerType[]
/** One of them. */
type ReportType = (typeof REPORT_TYPES)[number]

/** The type, if CI systems read it. */
export const reportType = (type: AnswerType): ReportType | undefined => REPORT_TYPES.find(one => one === type)

/** The media types of reports to CI systems. */
export const REPORT_MEDIA_TYPES = REPORT_TYPES.map(type => MEDIA_TYPES[type])

/** Colours a text for the terminal of whoever asked, or leaves it as it is. */
type Paint = (format: Parameters<typeof styleText>[0], text: string) => string

/** As the client wants it: colours cannot be guessed from here. */
export function paintFor({ query }: FastifyRequest): Paint {
  const { color } = query as { color?: string }
  return color === '1' ? (format, text) => styleText(format, text, { validateStream: false }) : (_format, text) => text
}

/**
 * What of the offered types the client likes best by its `Accept`; JSON where it says nothing.
 *
 * @throws {FaultlineError} NOT_ACCEPTABLE: it takes none of them.
 */
export function answerType(request: FastifyRequest, offered: readonly AnswerType[] = WRITTEN): AnswerType {
  const best: unknown = request.accepts().type(offered.map(type => MEDIA_TYPES[type]))
  const found = offered.find(type => MEDIA_TYPES[type] === best)
  if (found !== undefined) return found
  const types = offered.map(type => MEDIA_TYPES[type]).join(', ')
  throw new FaultlineError(
    'NOT_ACCEPTABLE',
    `This route does not answer with ${JSON.stringify(String(request.headers.accept).slice(0, 100))}.`,
    `Send the header Accept with one of ${types}, or leave it out.`,
  )
}

/** Sends an answer that is written already, with a line end. */
export function sendWritten(reply: FastifyReply, type: 'text' | 'markdown' | ReportType, text: string): FastifyReply {
  return reply
    .type(`${MEDIA_TYPES[type]}; charset=utf-8`)
    .header('vary', 'accept')
    .serializer(body => String(body))
    .send(text.endsWith('\n') ? text : `${text}\n`)
}
