import type { Config } from '../config.ts'

/** What makes vectors, as clients are told. */
export function embeddingOf(config: Config): { provider: 'local' | 'api'; model: string } {
  return config.embedding === null
    ? { provider: 'local', model: 'lsa-128' }
    : { provider: 'api', model: config.embedding.model }
}
