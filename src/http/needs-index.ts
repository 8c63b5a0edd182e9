import type { FastifyRequest } from 'fastify'
import { bodyOf } from './named-in.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * The project whose index or clone the answer is read from; null where it needs none. Among several nodes such a
     * request goes to the one that keeps that index.
     */
    needsIndexOf?: (request: FastifyRequest) => string | null
  }
}

/** The project that the body names. */
export function projectOfBody(request: FastifyRequest): string | null {
  const { project_name: name } = bodyOf(request)
  return typeof name === 'string' ? name : null
}

/** The project of `/projects/:name`. */
export function projectOfPath({ params }: FastifyRequest): string | null {
  const { name } = params as { name?: unknown }
  return typeof name === 'string' ? name : null
}
