import { lineCount, splitLines } from '../core/source-text.ts'
import type { SourceOf } from './code-line.ts'

/** The texts of a project's files for one trace, each read, split or counted once. */
export interface FileTexts {
  text: SourceOf
  lines: (repository: string, path: string) => string[]
  lineCount: (repository: string, path: string) => number
}

export function rememberTexts (sourceOf: SourceOf): FileTexts {
  const text = oncePerFile(sourceOf)
  return {
    text,
    lines: oncePerFile((repository, path) => splitLines(text(repository, path) ?? '')),
    lineCount: oncePerFile((repository, path) => lineCount(text(repository, path) ?? '')),
  }
}

function oncePerFile<T> (read: (repository: string, path: string) => T): (repository: string, path: string) => T {
  const known = new Map<string, { value: T }>()
  return (repository, path) => {
    const key = `${repository}\n${path}`
    const entry = known.get(key) ?? { value: read(repository, path) }
    known.set(key, entry)
    return entry.value
  }
}
