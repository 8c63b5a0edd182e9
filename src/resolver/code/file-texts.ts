import { threadCaches } from '../../core/cache-budget.ts'
import { RecentlyUsed } from '../../core/recently-used.ts'
import { lineCount } from '../../core/source-text.ts'
import { sourceLines, type SourceLines } from './source-lines.ts'

/**
 * Returns the text of a project's file as it is read now, or null when there is none. Callers may ask for one file many
 * times.
 */
export type SourceOf = (repository: string, path: string) => string | null

/** The texts of a project's files for one trace, each read, split or counted once. */
export interface FileTexts {
  text: SourceOf
  lines: (repository: string, path: string) => SourceLines
  lineCount: (repository: string, path: string) => number
}

const ENTRY_BYTES = 500
const LINE_BYTES = 8 // with what is found out about it

const known = new RecentlyUsed<string, SourceLines>(threadCaches, ({ length }) => LINE_BYTES * length + ENTRY_BYTES)

/**
 * The lines of a text. Returns the same object for the same text as long as it is used now and then, so that what is
 * found out about lines can be kept with it.
 */
export const linesOf = (text: string): SourceLines => known.get(text, () => sourceLines(text))

function oncePerFile<T>(read: (repository: string, path: string) => T): (repository: string, path: string) => T {
  const known = new Map<string, { value: T }>()
  return (repository, path) => {
    const key = `${repository}\n${path}`
    const entry = known.get(key) ?? { value: read(repository, path) }
    known.set(key, entry)
    return entry.value
  }
}

/** Caches the texts of one trace over a reader. */
export function rememberTexts(sourceOf: SourceOf): FileTexts {
  const text = oncePerFile(sourceOf)
  return {
    text,
    lines: oncePerFile((repository, path) => linesOf(text(repository, path) ?? '')),
    lineCount: oncePerFile((repository, path) => lineCount(text(repository, path) ?? '')),
  }
}
