import { selectFiles, type TrackedFile } from '../../src/indexer/filter.ts'

export function tracked(path: string, overrides: Partial<TrackedFile> = {}): TrackedFile {
  return { path, mode: '100644', type: 'blob', oid: 'a'.repeat(40), size: 100, ...overrides }
}

export function select(
  files: TrackedFile[],
  options: { include?: string[]; exclude?: string[]; maxFiles?: number; maxTotalBytes?: number } = {},
) {
  const { candidates, skipped } = selectFiles(files, { include: [], exclude: [], ...options })
  return { paths: candidates.map(({ path }) => path), skipped: Object.fromEntries(skipped) }
}

export const reasonFor = (path: string, overrides: Partial<TrackedFile> = {}): string | undefined =>
  Object.keys(select([tracked(path, overrides)]).skipped)[0]
