import type { FastifyReply } from 'fastify'

const escapeChar = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`

/** What a job made is a model's or a repository's: no browser may take it for a page of this server. */
export function asDownload(reply: FastifyReply, name: string, type = 'application/octet-stream'): FastifyReply {
  return reply
    .type(type)
    .header(
      'content-disposition',
      `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name).replace(/['()*]/g, escapeChar)}`,
    )
    .header('x-content-type-options', 'nosniff')
    .header('content-security-policy', 'sandbox')
}
