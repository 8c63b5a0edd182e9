import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeManifestFile } from '../../../src/vecstore/format/manifest.ts'
import { generationPaths, writeCurrent } from '../../../src/vecstore/format/layout.ts'
import type { StoredManifest } from '../../../src/vecstore/format/stored-manifest.ts'

const checksumOf = (bytes: Uint8Array) => ({
  bytes: bytes.length,
  sha256: createHash('sha256').update(bytes).digest('hex'),
})

/** Bytes of the files of a generation, whatever they are: nothing of transport looks into them. */
export interface MadeFiles {
  catalogue: Uint8Array
  lexical: Uint8Array
  vectors: Uint8Array | null
  fit: Uint8Array | null
  hnsw: Uint8Array | null
}

function manifestOf(generation: number, { catalogue, lexical, vectors, fit, hnsw }: MadeFiles): StoredManifest {
  return {
    formatVersion: 3,
    generation,
    publishedAt: '2026-01-01T00:00:00.000Z',
    indexState: 'ready',
    embedding: { provider: 'local', model: 'test-8', dimensions: 8, fitId: 'test-8-v1' },
    annRecall: null,
    chunker: 'lines-500-50',
    repositories: [],
    filesIndexed: 0,
    chunksTotal: 0,
    languages: {},
    contents: [],
    growth: { throughChunk: 0, countedThrough: 0, occurrences: 0, unknownOccurrences: 0 },
    segments: [
      { number: 1, chunks: 1, lexical: checksumOf(lexical), vectors: vectors === null ? null : checksumOf(vectors) },
    ],
    checksums: {
      catalogue: checksumOf(catalogue),
      fit: fit === null ? null : checksumOf(fit),
      hnsw: hnsw === null ? null : { ...checksumOf(hnsw), elements: 1, throughChunk: 1 },
    },
  }
}

/** Publishes a generation of these files. */
export async function makeGeneration(projectDir: string, generation: number, files: MadeFiles): Promise<void> {
  const paths = generationPaths(projectDir, generation)
  mkdirSync(paths.segments, { recursive: true })
  writeFileSync(paths.catalogue, files.catalogue)
  writeFileSync(paths.lexical(1), files.lexical)
  if (files.vectors !== null) writeFileSync(paths.embedded(1), files.vectors)
  if (files.fit !== null) writeFileSync(paths.fit, files.fit)
  if (files.hnsw !== null) writeFileSync(paths.hnsw, files.hnsw)
  await writeManifestFile(paths.manifest, manifestOf(generation, files))
  await writeCurrent(projectDir, generation)
}

/** All files below a folder, by their paths. */
export function contentsOf(folder: string): Map<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  return new Map(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map(path => [path.slice(folder.length + 1), readFileSync(path)]),
  )
}

/** A folder of its own for each case of a property. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-transport-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}
