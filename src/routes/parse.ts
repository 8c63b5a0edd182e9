import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { problems } from '../contract/problem.ts'
import { ParseBody, ParsedSchema, toWireParsed } from '../contract/resolution.ts'
import { refuseLargeText, TEXT_BODY_LIMIT_BYTES } from '../http/text-size.ts'

const parseRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app

  app.post(
    '/parse',
    {
      bodyLimit: TEXT_BODY_LIMIT_BYTES,
      preValidation: async ({ body }) => refuseLargeText(body, 'stacktrace', 'stack trace'),
      schema: {
        operationId: 'parseStackTrace',
        summary: 'The exceptions and frames of a text, without any project',
        description:
          'Takes what POST /resolve takes: one trace, a chain, or a whole log. Frames run outermost call first; ' +
          '`path` and what depends on a project is null.',
        tags: ['Resolving'],
        body: ParseBody,
        response: { 200: ParsedSchema, ...problems(400, 401, 403, 413, 415, 422, 503) },
      },
    },
    async ({ body, clientSignal }) => toWireParsed(await services.resolving.parse(body.stacktrace, clientSignal)),
  )
}

export default parseRoutes
