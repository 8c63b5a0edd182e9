import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fp from 'fastify-plugin'
import { createTransform, withOptionalBodies } from './openapi-transform.ts'

/** What the document says of this server. */
interface OpenApiOptions {
  version: string
  withKeys: boolean
  /** Where others reach the server; null: where it listens, which is where the document came from. */
  publicUrl: string | null
  /** The path of that URL; empty where it has none. */
  pathPrefix: string
}

const TAGS = [
  { name: 'Resolving', description: 'From a stack trace to the code behind it' },
  { name: 'Projects', description: 'Cloned and indexed repositories' },
  {
    name: 'Pipelines',
    description: 'Programs written, changed, mended and fixed by a model, checked and run in the sandbox',
  },
  { name: 'Tasks', description: 'What was asked for in words: its status, attempts and branch' },
  { name: 'Jobs', description: 'Long work: progress, events, cancel, retry' },
  { name: 'Operations', description: 'Health and readiness' },
]

/**
 * Hash of the one style that the UI writes into its page, which colours its logo; a test compares it with the UI that
 * is installed.
 */
const LOGO_STYLE_HASH = 'sha256-RL3ie0nH+Lzz2YNqQN83mnU0J1ot4QL7b99vMdIX99w='

// The UI's own default adds upgrade-insecure-requests, with which a plain HTTP server cannot load its own assets.
const UI_POLICY = [
  "default-src 'self'",
  "base-uri 'self'",
  "font-src 'self' data:",
  "frame-ancestors 'none'",
  "img-src 'self' data:",
  "object-src 'none'",
  "script-src 'self'",
  `style-src 'self' '${LOGO_STYLE_HASH}'`,
].join('; ')

export default fp<OpenApiOptions>(
  async (app, { version, withKeys, publicUrl, pathPrefix }) => {
    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title: 'Faultline',
          version,
          description:
            'Clone a repository once, then post a stack trace and get back the exact code behind it, every frame ' +
            'mapped and marked, why each piece was chosen and, with a model configured, an explanation.',
          license: { name: 'MIT', identifier: 'MIT' },
        },
        tags: TAGS,
        ...(publicUrl === null ? {} : { servers: [{ url: publicUrl }] }),
        ...(withKeys
          ? {
              components: { securitySchemes: { key: { type: 'http' as const, scheme: 'bearer' } } },
              security: [{ key: [] }],
            }
          : {}),
      },
      transform: createTransform({ withKeys }),
      transformObject: withOptionalBodies,
      refResolver: {
        buildLocalReference: (json, _baseUri, _fragment, index) =>
          typeof json.$id === 'string' ? json.$id : `Schema${index}`,
      },
    })
    await app.register(swaggerUi, {
      routePrefix: '/docs',
      indexPrefix: pathPrefix,
      staticCSP: UI_POLICY,
      uiConfig: { docExpansion: 'list', deepLinking: true, displayRequestDuration: true },
    })
  },
  { name: 'openapi' },
)
