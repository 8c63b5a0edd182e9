import type { FastifyRequest } from 'fastify'
import type { Actor } from '../core/audit.ts'

/** Who sent a request, for the audit log. */
export const actorOf = ({ keyName, id }: Pick<FastifyRequest, 'keyName' | 'id'>): Actor => ({ keyName, requestId: id })
