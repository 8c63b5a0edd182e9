import { createHash } from 'node:crypto'
import type { IndexedRepository } from '../../src/core/project.ts'
import { lineStarts } from '../../src/core/source-text.ts'
import { outlineOf } from '../../src/outline/outline.ts'
import type { GenerationBuilder, TextContent } from '../../src/vecstore/generation-builder.ts'
import { openStore, type Store, type StoreOptions } from '../../src/vecstore/store.ts'
import type { VectorBuild, VectorSpace } from '../../src/vecstore/vectors/vector-build.ts'

const DIMENSIONS = 8
export const EMBEDDING = { provider: 'local', model: 'test-8', dimensions: DIMENSIONS, fitId: 'test-8-v1' } as const

export function openTestStore(root: string, options: StoreOptions = {}): Store {
  return openStore(root, { minFreeBytes: 0, ...options })
}

/** A unit vector that depends on the text only. */
export function vectorOf(text: string): Float32Array {
  const vector = Float32Array.from(
    createHash('sha256').update(text).digest().subarray(0, DIMENSIONS),
    byte => byte - 127.5,
  )
  const norm = Math.hypot(...vector)
  return vector.map(value => value / norm)
}

function repositoryRecord(repository: string, filesIndexed: number): IndexedRepository {
  return {
    repository,
    url: `https://example.com/${repository}.git`,
    branch: 'main',
    commit: 'c'.repeat(40),
    indexedAt: '2026-01-01T00:00:00.000Z',
    filesIndexed,
    filesSkipped: {},
    include: [],
    exclude: [],
  }
}

/** Adds files of one chunk each. */
export async function addFiles(
  builder: GenerationBuilder,
  files: Record<string, string>,
  repository = 'repo',
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const lines = lineStarts(text).length
    const chunks = [{ startLine: 1, endLine: lines, startOffset: 0, endOffset: text.length }]
    await builder.addFile(
      { repository, path, language: 'python', lines, oid: createHash('sha1').update(text).digest('hex') },
      { text, chunks, outline: outlineOf(text, 'python') },
    )
  }
}

/** The content that a builder of these tests is finished with. */
export const contentOf = (files: number): TextContent => ({
  embedding: EMBEDDING,
  chunker: 'lines-500-50',
  repositories: [repositoryRecord('repo', files)],
})

/** Gives the chunks that wait for one the vector of their text. */
export async function addVectors(vectors: VectorBuild, space: VectorSpace = EMBEDDING): Promise<void> {
  if (vectors.space?.fitId !== space.fitId) await vectors.beginSpace(space, null)
  for (const segment of vectors.pending()) {
    const texts = [...vectors.texts(segment)]
    const values = Float32Array.from(texts.flatMap(({ text }) => [...vectorOf(text)]))
    await vectors.write(segment.number, {
      dimensions: space.dimensions,
      ids: Uint32Array.from(texts, ({ chunkId }) => chunkId),
      values,
    })
  }
}

/** Ends both phases of a build. */
export async function finishAndPublish(
  builder: GenerationBuilder,
  files: number,
  space: VectorSpace = EMBEDDING,
): Promise<number> {
  const vectors = await builder.finishText({ ...contentOf(files), embedding: space })
  await addVectors(vectors, space)
  await vectors.finish()
  return (await builder.publish()).generation
}

/** Publishes a generation with exactly these files. */
export async function publish(
  store: Store,
  project: string,
  files: Record<string, string>,
  space: VectorSpace = EMBEDDING,
): Promise<number> {
  await using builder = await store.begin(project, 'empty')
  await addFiles(builder, files)
  return await finishAndPublish(builder, Object.keys(files).length, space)
}
