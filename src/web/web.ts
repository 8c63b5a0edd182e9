import type { FastifyInstance, FastifyReply, FastifyRequest, RawServerDefault } from 'fastify'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Services } from '../services/services.ts'
import type { PageContent, PageFrame } from './parts/page.ts'

/** The part of the application that has the pages. */
export type WebApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** What each page is made with. */
export interface Web {
  services: Services
  /** The path of PUBLIC_URL, before all links; empty where there is none. */
  prefix: string
  /** What surrounds a page for whoever asks. */
  frameOf(request: FastifyRequest, reply: FastifyReply): PageFrame
  /** Sends a page in its frame. */
  send(request: FastifyRequest, reply: FastifyReply, content: PageContent): FastifyReply
}
