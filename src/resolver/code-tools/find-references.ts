import type { CodeAnswers, CodeInputs } from '../../core/code-tools.ts'
import type { Outline } from '../../core/outline.ts'
import type { CodeReader } from '../code/code-reader.ts'
import { definitionsAmong, hasWord, linesWith } from '../code/definitions.ts'
import { linesOf } from '../code/file-texts.ts'
import type { IndexedFile } from '../code/file-index.ts'
import type { CodeView } from './code-view.ts'
import { MAX_CHANGED } from './find-definition.ts'
import { filesBelow } from './find-file.ts'
import { nameNotFound, readName } from './names.ts'
import { firstLines, pageOf, type Budget, type Page } from './page.ts'

type Shown = CodeAnswers['find_references']['data'][number]
type Found = Pick<Shown, 'repository' | 'path' | 'line' | 'isDefinition'>

/** Files of the index that are read for a question: about 0.05 ms each. */
const MAX_READ = 3_000
const MAX_FOUND = 5_000
const MAX_LINE_CHARS = 500
const DEFAULT_LIMIT = 50

const byPlace = (a: IndexedFile, b: IndexedFile): number => {
  if (a.repository !== b.repository) return a.repository < b.repository ? -1 : 1
  return a.path < b.path ? -1 : 1
}

/** The innermost scope around a line, with what it stands in. */
function scopeAt(outline: Outline | null, line: number): string | null {
  const around = outline?.scopes.filter(({ startLine, endLine }) => startLine <= line && line <= endLine) ?? []
  const inner = around.at(-1)
  if (inner === undefined) return null
  const parent = inner.parent === null ? undefined : outline?.scopes[inner.parent]
  return parent === undefined ? inner.name : `${parent.name}.${inner.name}`
}

async function referencesIn({ repository, path }: IndexedFile, name: string, view: CodeView): Promise<Found[]> {
  const text = await view.text(repository, path)
  if (text === null || !hasWord(text, name)) return []
  const lines = linesOf(text)
  const named = linesWith(lines, name).filter(line => hasWord(lines.line(line - 1) ?? '', name))
  const defining = new Set(definitionsAmong(named, lines, name))
  return named.map(line => ({ repository, path, line, isDefinition: defining.has(line) }))
}

/** The files that may name something, and whether they are all. */
function filesNaming(
  name: string,
  isWanted: (file: IndexedFile) => boolean,
  { view, reader }: { view: CodeView; reader: CodeReader },
): { files: IndexedFile[]; complete: boolean } {
  const holding = (reader.filesHolding(name) ?? reader.files()).filter(
    file => isWanted(file) && view.isIndexed(file.repository, file.path),
  )
  const changed = view.changed.filter(isWanted)
  return {
    files: [...holding.slice(0, MAX_READ), ...changed.slice(0, MAX_CHANGED)].sort(byPlace),
    complete: holding.length <= MAX_READ && changed.length <= MAX_CHANGED,
  }
}

/**
 * The lines that name something, those that define it among them. Text is compared, as it is: a word in a comment is a
 * line, too.
 *
 * @throws {FaultlineError} NAME_NOT_FOUND with names near to it; FILE_NOT_FOUND, BAD_PATH, NOT_FOUND for the place.
 */
export async function findReferences(
  input: CodeInputs['find_references'],
  code: { view: CodeView; reader: CodeReader },
  budget: Budget,
): Promise<Page<Shown> & { complete: boolean }> {
  const { view, reader } = code
  const { name } = readName(input.name)
  const { files, complete } = filesNaming(name, filesBelow(input, view), code)
  const found: Found[] = []
  for (const file of files) {
    if (found.length >= MAX_FOUND) break
    found.push(...(await referencesIn(file, name, view)))
  }
  if (found.length === 0) throw nameNotFound(input.name, 'The code that was looked through never names', reader)
  const page = await pageOf(
    found.slice(0, MAX_FOUND),
    { offset: input.offset ?? 0, limit: input.limit ?? DEFAULT_LIMIT },
    {
      async show({ repository, path, line, isDefinition }): Promise<Shown> {
        const lines = linesOf((await view.text(repository, path)) ?? '')
        const text = (lines.line(line - 1) ?? '').trim().slice(0, MAX_LINE_CHARS).toWellFormed()
        const scope = scopeAt(await view.outline(repository, path), line)
        return { repository, path, line, text, isDefinition, scope }
      },
      textOf: item => `${item.path}:${item.line} ${item.text}`,
      cut: (item, maxTokens) => ({ ...item, text: firstLines(item.text, { ...budget, maxTokens }) }),
    },
    budget,
  )
  return { ...page, complete: complete && found.length < MAX_FOUND }
}
