import type { Config } from '../config.ts'

/** What makes vectors, as answers name it. */
export function embeddingOf(config: Config): { provider: 'local' | 'api'; model: string } {
  return config.embedding === null
    ? { provider: 'local', model: 'lsa-128' }
    : { provider: 'api', model: config.embedding.model }
}
