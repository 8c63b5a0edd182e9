import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '../core/type.ts'
import { JobFileSchema, JobParams } from '../contract/job.ts'
import { problems } from '../contract/problem.ts'
import { TranscriptSchema } from '../contract/transcript.ts'
import { toWireTranscript } from '../contract/job-answer.ts'
import { baseName } from '../core/path-names.ts'
import { asDownload } from '../http/download.ts'

const Bytes = (description: string, type = 'application/octet-stream') => ({
  200: { description, content: { [type]: { schema: Type.String({ format: 'binary' }) } } },
  ...problems(401, 404),
})

const jobFileRoutes: FastifyPluginAsyncTypebox = async app => {
  const { jobs } = app.services

  app.get(
    '/jobs/:id/files',
    {
      schema: {
        operationId: 'listJobFiles',
        summary: 'The files that a job keeps',
        tags: ['Jobs'],
        params: JobParams,
        response: {
          200: Type.Object({ data: Type.Array(JobFileSchema) }),
          ...problems(401, 404),
        },
      },
    },
    async ({ params }) => ({ data: await jobs.files(params.id) }),
  )

  app.get(
    '/jobs/:id/files/*',
    {
      schema: {
        operationId: 'getJobFile',
        summary: 'One of these files',
        tags: ['Jobs'],
        description: 'The rest of the address is the path of the file.',
        params: JobParams,
        response: Bytes('The bytes of the file'),
      },
    },
    async ({ params }, reply) => {
      const { id, '*': path } = params as { id: string; '*': string } // TypeBox takes no property of that name
      const content = await jobs.readFile(id, path)
      return asDownload(reply, baseName(path)).send(content)
    },
  )

  app.get(
    '/jobs/:id/archive',
    {
      schema: {
        operationId: 'getJobArchive',
        summary: 'All of these files as a .tar.gz',
        tags: ['Jobs'],
        params: JobParams,
        response: Bytes('A .tar.gz'),
      },
    },
    async ({ params: { id } }, reply) => asDownload(reply, `${id}.tar.gz`).send(await jobs.archive(id)),
  )

  for (const kind of ['diff', 'patch'] as const) {
    app.get(
      `/jobs/:id/${kind}`,
      {
        schema: {
          operationId: kind === 'diff' ? 'getJobDiff' : 'getJobPatch',
          summary: kind === 'diff' ? 'What a job changed, as a unified diff' : 'The same as git format-patch writes it',
          tags: ['Jobs'],
          params: JobParams,
          response: Bytes('Applies with git apply', 'text/x-diff'),
        },
      },
      async ({ params: { id } }, reply) =>
        asDownload(reply, `${id}.${kind}`, 'text/x-diff; charset=utf-8').send(await jobs.text(id, kind)),
    )
  }

  app.get(
    '/jobs/:id/transcript',
    {
      schema: {
        operationId: 'getJobTranscript',
        summary: 'Who asked for a job, and word for word what models and people were asked and said and what was run',
        tags: ['Jobs'],
        params: JobParams,
        response: {
          200: TranscriptSchema,
          ...problems(401, 404),
        },
      },
    },
    async ({ params: { id } }) => {
      const { job, entries } = await jobs.transcript(id)
      return { data: toWireTranscript(job, await jobs.input(id), entries) }
    },
  )
}

export default jobFileRoutes
