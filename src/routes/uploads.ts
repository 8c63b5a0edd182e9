import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '../core/type.ts'
import { JobHeaders, notifyIn, ProjectName } from '../contract/primitives.ts'
import { problems } from '../contract/problem.ts'
import { globsIn, UploadQuery } from '../contract/upload.ts'
import { answerWithJob, idempotencyOf } from '../http/job-answer.ts'

/** As long as a large file may take over a slow line, and a wait for its job. */
const HANDLER_TIMEOUT_MS = 3_700_000

const uploadRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app
  const { uploads } = services

  // The handler reads the bytes as they come; what they are, they say themselves.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null, undefined))

  app.post(
    '/projects/:name/upload',
    {
      config: { takesLongBody: true },
      handlerTimeout: HANDLER_TIMEOUT_MS,
      schema: {
        operationId: 'uploadRepository',
        summary: 'Upload a repository and index it, for machines without a network; a further upload updates it',
        description:
          'The body is the file: a git bundle (`git bundle create shop.bundle --all`; one that goes on from an ' +
          'earlier one will do later), or a `.tar.gz` of a repository (its folder with `.git`, or a bare one) or of ' +
          'plain files, which the server commits. Answers with a job of type `clone`, as `POST /clone` does.',
        tags: ['Projects'],
        consumes: ['application/octet-stream', 'application/gzip'],
        params: Type.Object({ name: ProjectName }),
        headers: JobHeaders,
        querystring: UploadQuery,
        response: {
          200: Type.Ref('Job'),
          202: Type.Ref('Job'),
          ...problems(400, 401, 403, 408, 409, 413, 415, 429, 503),
        },
      },
      // what is not read is not waited for
      onError: async (_request, reply) => {
        reply.header('connection', 'close')
      },
    },
    async (request, reply) => {
      const { wait: _wait, include, exclude, notify, ...query } = request.query
      const options = {
        ...query,
        ...(include === undefined ? {} : { include: globsIn(include) }),
        ...(exclude === undefined ? {} : { exclude: globsIn(exclude) }),
        ...(notify === undefined ? {} : { notify: notifyIn(notify) }),
      }
      const prepare = (upload: string) =>
        services.requests.upload.complete({ ...options, upload, project_name: request.params.name })
      await prepare('') // what is wrong with the rest is said before the file has come
      const length = Number(request.headers['content-length'] ?? NaN)
      const { upload, sha256 } = await uploads.receive(request.raw, {
        signal: request.clientSignal,
        ...(Number.isSafeInteger(length) ? { bytes: length } : {}),
      })
      const made = await services.jobs
        .create('clone', await prepare(upload), {
          keyName: request.keyName,
          idempotency: idempotencyOf(request, { ...request.params, ...options, sha256 }),
        })
        .catch(async (error: unknown) => {
          await uploads.discard(upload)
          throw error
        })
      if (made.replayed) {
        await uploads.discard(upload)
        reply.header('idempotency-replayed', 'true')
      }
      return answerWithJob(services, request, reply, made.job.id)
    },
  )
}

export default uploadRoutes
