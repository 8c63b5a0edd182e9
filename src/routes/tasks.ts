import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { problems } from '../contract/problem.ts'
import { TaskPageSchema, TaskParams, TaskQuery, TaskSchema, TasksQuery } from '../contract/task.ts'
import { visibilityOf } from '../core/access.ts'
import { answerType, paintFor, sendWritten, WRITTEN_TYPES } from '../http/answer-type.ts'
import { taskAs, tasksAs } from '../text/written.ts'

const taskRoutes: FastifyPluginAsyncTypebox = async app => {
  const { tasks } = app.services

  app.get(
    '/tasks',
    {
      schema: {
        operationId: 'listTasks',
        summary: 'Tasks, newest first',
        description:
          'What was asked for in words, where it stands and on which branch. Tasks are numbered 1, 2, 3 and kept ' +
          'until their project is deleted, longer than their jobs. A key that is bound to projects sees the tasks of ' +
          'these.',
        tags: ['Tasks'],
        querystring: TasksQuery,
        produces: WRITTEN_TYPES,
        response: { 200: TaskPageSchema, ...problems(400, 401, 406) },
      },
    },
    async (request, reply) => {
      const wanted = answerType(request)
      const page = await tasks.page(request.query, visibilityOf(request.access, request.keyName))
      return wanted === 'text' || wanted === 'markdown'
        ? sendWritten(reply, wanted, tasksAs(wanted, page.data, paintFor(request)))
        : page
    },
  )

  app.get(
    '/tasks/:number',
    {
      schema: {
        operationId: 'getTask',
        summary: 'A task with what its agents did',
        description:
          'Diffs, answers of models and outputs are with the job (`job_id`) as long as that is kept: ' +
          '`GET /jobs/{id}`, `/jobs/{id}/diff`, `/jobs/{id}/transcript`.',
        tags: ['Tasks'],
        params: TaskParams,
        querystring: TaskQuery,
        produces: WRITTEN_TYPES,
        response: { 200: TaskSchema, ...problems(400, 401, 404, 406) },
      },
    },
    async (request, reply) => {
      const wanted = answerType(request)
      const task = await tasks.get(request.params.number, visibilityOf(request.access, request.keyName))
      return wanted === 'text' || wanted === 'markdown'
        ? sendWritten(reply, wanted, taskAs(wanted, task, paintFor(request)))
        : task
    },
  )
}

export default taskRoutes
