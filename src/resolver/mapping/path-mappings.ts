import type { FileIndex, IndexedFile } from '../code/file-index.ts'
import type { FileMatch } from './file-match.ts'
import type { FramePath } from './frame-path.ts'

/** An operator's mapping: what begins with `from` in a trace is below `to` in the repository. */
export interface PathMapping {
  from: string
  to: string
}

/** What the mappings give for one path. */
export interface Override {
  found: FileMatch | null
  /** Names a mapping that matches the path but leads nowhere; else empty. */
  note: string
}

const normalised = (folder: string): string => {
  const plain = folder
    .replace(/^[A-Za-z]:(?=[/\\])/, '')
    .replaceAll('\\', '/')
    .split('/')
    .filter(segment => segment !== '' && segment !== '.')
    .join('/')
  return /^(?:[/\\]|[A-Za-z]:)/.test(folder) ? `/${plain}` : plain
}

const same = (a: string, b: string, anyCase: boolean): boolean =>
  anyCase ? a.toLowerCase() === b.toLowerCase() : a === b

/**
 * The file that an operator's mapping gives for a path, the longest `from` first.
 *
 * @param compiledAt - A compiled file with a source map that is not in the index.
 */
export function findByMapping(
  path: FramePath,
  mappings: readonly PathMapping[],
  index: FileIndex,
  compiledAt: (path: string) => IndexedFile | null,
): Override {
  const full = `${path.absolute ? '/' : ''}${path.path}`
  let note = ''
  for (const { from, to } of mappings.toSorted((a, b) => b.from.length - a.from.length)) {
    const start = normalised(from)
    const begins =
      start === '' ||
      start === '/' ||
      full === start ||
      same(full.slice(0, start.length + 1), `${start}/`, path.anyCase)
    if (!begins || (start === '/' && !path.absolute)) continue
    const wanted = [normalised(to).replace(/^\//, ''), full.slice(start.length).replace(/^\//, '')]
      .filter(part => part !== '')
      .join('/')
    const file = index.at(wanted)
    const why = `the project's path mapping from ${from} to ${to || './'}`
    if (file !== null) return { found: { file, match: 'override', why, candidates: [] }, note: '' }
    const compiled = compiledAt(wanted)
    if (compiled !== null) {
      return { found: { file: compiled, match: 'source_map', isUnindexed: true, why, candidates: [] }, note: '' }
    }
    note ||= `; the project's path mapping from ${from} leads to ${wanted}, which is not in the index`
  }
  return { found: null, note }
}
