import { relative } from 'node:path'
import type { FileChecksum } from '../format/durable-files.ts'
import { generationPaths } from '../format/layout.ts'
import type { StoredManifest } from '../format/stored-manifest.ts'

/** A file of a generation by its path below the folder. */
interface NamedFile {
  path: string
  checksum: FileChecksum
}

/** All files that a manifest names, in a fixed order; the manifest itself is none of them. */
export function filesOf({ generation, segments, checksums: { catalogue, fit, hnsw } }: StoredManifest): NamedFile[] {
  const paths = generationPaths('', generation)
  const named: Array<[path: string, checksum: FileChecksum | null]> = [
    [paths.catalogue, catalogue],
    ...segments.flatMap(({ number, lexical, vectors }): Array<[string, FileChecksum | null]> => [
      [paths.lexical(number), lexical],
      [paths.embedded(number), vectors],
    ]),
    [paths.fit, fit],
    [paths.hnsw, hnsw],
  ]
  return named.flatMap(([path, checksum]) => {
    if (checksum === null) return []
    const { bytes, sha256 } = checksum
    return [{ path: relative(paths.folder, path), checksum: { bytes, sha256 } }]
  })
}
