import type { CodeAnswers, CodeInputs } from '../../core/code-tools.ts'
import { containerOf, type Definition } from '../../core/outline.ts'
import type { CodeReader } from '../code/code-reader.ts'
import { definitionLines, hasWord } from '../code/definitions.ts'
import { linesOf } from '../code/file-texts.ts'
import type { IndexedFile } from '../code/file-index.ts'
import type { CodeView } from './code-view.ts'
import { filesBelow } from './find-file.ts'
import { nameNotFound, readName, type GivenName } from './names.ts'
import { firstLines, pageOf, type Budget, type Page } from './page.ts'

type Shown = CodeAnswers['find_definition']['data'][number]
/** A definition; of one that is known by its look the kind is null. */
type Found = Omit<Definition, 'kind'> & { kind: Definition['kind'] | null }

/** The most that the index gives for a name. */
const MOST_INDEXED = 200
/** Files that are read from the clone for a question: about 10 ms each. */
export const MAX_CHANGED = 300
const MAX_BY_LOOK = 300
const CODE_LINES = 40
const DEFAULT_LIMIT = 10

const isOf =
  ({ container }: GivenName) =>
  (found: Pick<Found, 'container'>): boolean =>
    container === null || found.container?.toLowerCase() === container.toLowerCase()

async function definitionsIn(file: IndexedFile, { name }: GivenName, view: CodeView): Promise<Found[]> {
  const { repository, path } = file
  const text = await view.text(repository, path)
  if (text === null || !hasWord(text, name)) return []
  const outline = await view.outline(repository, path)
  if (outline === null) return []
  return outline.scopes
    .filter(scope => scope.name === name)
    .map(scope => ({ ...scope, container: containerOf(outline, scope), repository, path }))
}

/** Where no outline knows the name, as in languages without a scanner: lines that look like its definition. */
async function definitionsByLook(
  { name, container }: GivenName,
  files: readonly IndexedFile[],
  view: CodeView,
): Promise<Found[]> {
  const found: Found[] = []
  if (container !== null) return found
  for (const { repository, path } of files) {
    const text = await view.text(repository, path)
    if (text === null) continue
    for (const line of definitionLines(linesOf(text), name)) {
      found.push({ name, kind: null, container: null, repository, path, startLine: line, endLine: line })
    }
  }
  return found
}

function byPlace(a: Found, b: Found): number {
  if (a.repository !== b.repository) return a.repository < b.repository ? -1 : 1
  if (a.path !== b.path) return a.path < b.path ? -1 : 1
  return a.startLine - b.startLine
}

async function allDefinitions(
  given: GivenName,
  isWanted: (file: Pick<IndexedFile, 'repository' | 'path'>) => boolean,
  { view, reader }: { view: CodeView; reader: CodeReader },
): Promise<{ found: Found[]; complete: boolean }> {
  const indexed = reader.definitionsOf(given.name)
  const found: Found[] = indexed.filter(
    definition => isWanted(definition) && view.isIndexed(definition.repository, definition.path),
  )
  const changed = view.changed.filter(isWanted)
  for (const file of changed.slice(0, MAX_CHANGED)) found.push(...(await definitionsIn(file, given, view)))
  const named = found.filter(isOf(given))
  const complete = indexed.length < MOST_INDEXED && changed.length <= MAX_CHANGED
  if (named.length > 0) return { found: named.sort(byPlace), complete }
  const holding = (reader.filesHolding(given.name) ?? []).filter(
    file => isWanted(file) && view.isIndexed(file.repository, file.path),
  )
  const looked = [...holding, ...changed].slice(0, MAX_BY_LOOK)
  return {
    found: (await definitionsByLook(given, looked, view)).sort(byPlace),
    complete: holding.length + changed.length <= MAX_BY_LOOK,
  }
}

async function showDefinition({ name, kind, container, ...place }: Found, view: CodeView): Promise<Shown> {
  const lines = linesOf((await view.text(place.repository, place.path)) ?? '')
  const { repository, path, startLine, endLine } = place
  const codeEndLine = Math.min(endLine, startLine + CODE_LINES - 1)
  const code = lines.slice(startLine - 1, codeEndLine).join('\n')
  return { name, kind, container, repository, path, startLine, endLine, code, codeEndLine }
}

/**
 * Where a name is defined, with the first lines of each definition.
 *
 * @throws {FaultlineError} NAME_NOT_FOUND with names near to it; FILE_NOT_FOUND, BAD_PATH, NOT_FOUND for the place.
 */
export async function findDefinition(
  input: CodeInputs['find_definition'],
  code: { view: CodeView; reader: CodeReader },
  budget: Budget,
): Promise<Page<Shown> & { complete: boolean }> {
  const given = readName(input.name)
  const { found, complete } = await allDefinitions(given, filesBelow(input, code.view), code)
  if (found.length === 0) {
    throw nameNotFound(input.name, 'The code that was looked through defines no', code.reader)
  }
  const page = await pageOf(
    found,
    { offset: input.offset ?? 0, limit: input.limit ?? DEFAULT_LIMIT },
    {
      show: definition => showDefinition(definition, code.view),
      textOf: item => `${item.path}\n${item.code}`,
      cut(item, maxTokens) {
        const shown = firstLines(item.code, { ...budget, maxTokens })
        return { ...item, code: shown, codeEndLine: item.startLine + shown.split('\n').length - 1 }
      },
    },
    budget,
  )
  return { ...page, complete }
}
