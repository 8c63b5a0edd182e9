import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { AuditPageSchema, AuditQuery } from '../contract/audit.ts'
import { problems } from '../contract/problem.ts'
import { visibilityOf } from '../core/access.ts'

const auditRoutes: FastifyPluginAsyncTypebox = async app => {
  const { services } = app

  app.get(
    '/audit',
    {
      schema: {
        operationId: 'listAudit',
        summary: 'Who changed, deleted, ran or approved what, and who was refused, newest first',
        description:
          'Kept for RETENTION_DAYS. No secrets and nothing of bodies stands in it. A key that is bound to projects ' +
          'sees the entries of these, and of no project its own.',
        tags: ['Operations'],
        querystring: AuditQuery,
        response: { 200: AuditPageSchema, ...problems(400, 401) },
      },
    },
    async ({ query, access, keyName }) => services.audit.page(query, visibilityOf(access, keyName)),
  )
}

export default auditRoutes
