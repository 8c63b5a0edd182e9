import { isObject } from '../../core/is-object.ts'
import type { Manifest } from '../../core/project.ts'
import type { ManifestJson } from './stored-manifest.ts'

type Test = (value: unknown) => boolean

const isCount: Test = value => Number.isSafeInteger(value) && Number(value) >= 0

const isCounts: Test = value => isObject(value) && Object.values(value).every(isCount)
const isText = (value: unknown): value is string => typeof value === 'string'

const isNullOr =
  (test: Test): Test =>
  value =>
    value === null || test(value)
const isListOf =
  (test: Test): Test =>
  value =>
    Array.isArray(value) && value.every(test)

function isRecordOf(value: unknown, tests: Record<string, Test>): boolean {
  return isObject(value) && Object.entries(tests).every(([key, test]) => test(value[key]))
}

function isRepository(value: unknown): boolean {
  return isRecordOf(value, {
    repository: isText,
    url: isText,
    branch: isNullOr(isText),
    commit: isText,
    uncommitted: changes => changes === undefined || isRecordOf(changes, { commit: isText, files: isCount }),
    indexedAt: isText,
    filesIndexed: isCount,
    filesSkipped: isCounts,
    include: isListOf(isText),
    exclude: isListOf(isText),
  })
}

const isOneOf =
  (...values: unknown[]): Test =>
  value =>
    values.includes(value)

/** Whether a value has what manifests of all formats have. */
export function isManifest(value: unknown): value is Manifest {
  return isRecordOf(value, {
    formatVersion: isCount,
    generation: isCount,
    publishedAt: isText,
    embedding: embedding =>
      isRecordOf(embedding, { provider: isOneOf('local', 'api'), model: isText, fitId: isText, dimensions: isCount }),
    chunker: isText,
    repositories: isListOf(isRepository),
    filesIndexed: isCount,
    chunksTotal: isCount,
    languages: isCounts,
  })
}

const isChecksum: Test = value =>
  isRecordOf(value, { bytes: isCount, sha256: digest => isText(digest) && /^[0-9a-f]{64}$/.test(digest) })
const isHnsw: Test = value => isChecksum(value) && isRecordOf(value, { elements: isCount, throughChunk: isCount })
const isShare: Test = value => typeof value === 'number' && value >= 0 && value <= 1

/**
 * Whether it has the rest of what this format has, each within its range. Whether the counts are true is for those to
 * see who read the files.
 */
export function isStored(value: Manifest): value is ManifestJson {
  return isRecordOf(value, {
    indexState: isOneOf('lexical_ready', 'ready'),
    annRecall: isNullOr(isShare),
    contents: isListOf(content =>
      isRecordOf(content, { repository: isText, chunksTotal: isCount, languages: isCounts }),
    ),
    segments: isListOf(segment =>
      isRecordOf(segment, { number: isCount, chunks: isCount, lexical: isChecksum, vectors: isNullOr(isChecksum) }),
    ),
    growth: growth =>
      isRecordOf(growth, {
        throughChunk: isCount,
        countedThrough: isCount,
        occurrences: isCount,
        unknownOccurrences: isCount,
      }),
    seals: checksums =>
      isRecordOf(checksums, { catalogue: isChecksum, fit: isNullOr(isChecksum), hnsw: isNullOr(isHnsw) }),
  })
}
