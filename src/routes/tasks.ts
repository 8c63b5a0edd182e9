import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { problems } from '../contract/problem.ts'
import { TaskPageSchema, TaskParams, TaskSchema, TasksQuery } from '../contract/task.ts'
import { visibilityOf } from '../core/access.ts'

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
        response: { 200: TaskPageSchema, ...problems(400, 401) },
      },
    },
    async ({ query, access, keyName }) => tasks.page(query, visibilityOf(access, keyName)),
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
        response: { 200: TaskSchema, ...problems(400, 401, 404) },
      },
    },
    async ({ params, access, keyName }) => tasks.get(params.number, visibilityOf(access, keyName)),
  )
}

export default taskRoutes
