import { createHash } from 'node:crypto'
import type { IndexedRepository } from '../../src/core/project.ts'
import { lineStarts } from '../../src/core/source-text.ts'
import type { GenerationBuilder } from '../../src/vecstore/generation-builder.ts'
import { openStore, type Store, type StoreOptions } from '../../src/vecstore/store.ts'

const DIMENSIONS = 8
export const EMBEDDING = { provider: 'local', model: 'test-8', dimensions: DIMENSIONS, fitId: 'test-8-v1' } as const

export function openTestStore (root: string, options: StoreOptions = {}): Store {
  return openStore(root, { minFreeBytes: 0, ...options })
}

/** A unit vector that depends on the text only. */
export function vectorOf (text: string): Float32Array {
  const vector = Float32Array.from(createHash('sha256').update(text).digest().subarray(0, DIMENSIONS), byte => byte - 127.5)
  const norm = Math.hypot(...vector)
  return vector.map(value => value / norm)
}

export function repositoryRecord (repository: string, filesIndexed: number): IndexedRepository {
  return { repository, url: `https://example.com/${repository}.git`, branch: 'main', commit: 'c'.repeat(40), indexedAt: '2026-01-01T00:00:00.000Z', filesIndexed, filesSkipped: {}, include: [], exclude: [] }
}

/** Adds files of one chunk each. */
export function addFiles ({ catalogue }: GenerationBuilder, files: Record<string, string>, repository = 'repo'): void {
  for (const [path, text] of Object.entries(files)) {
    const lines = lineStarts(text).length
    const chunk = { startLine: 1, endLine: lines, startOffset: 0, endOffset: text.length, vector: vectorOf(text) }
    catalogue.addFile({ repository, path, language: 'python', lines, oid: createHash('sha1').update(text).digest('hex') }, text, [chunk])
  }
}

/** Publishes a generation with exactly these files. */
export async function publish (store: Store, project: string, files: Record<string, string>, embedding: { provider: 'local' | 'api', model: string, dimensions: number, fitId: string } = EMBEDDING): Promise<number> {
  await using builder = await store.begin(project, 'empty')
  addFiles(builder, files)
  return (await builder.publish({ embedding, chunker: 'lines-500-50', repositories: [repositoryRecord('repo', Object.keys(files).length)] })).generation
}
