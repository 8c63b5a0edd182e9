import fc from 'fast-check'
import type { Outline, Scope } from '../../../src/core/outline.ts'
import type { Context } from '../../../src/resolver/context/build-context.ts'
import type { RankedFile } from '../../../src/resolver/ranking/ranked-file.ts'
import { countTokens } from '../../../src/tokens/o200k.ts'

export interface FakeFile {
  text: string
  scopes?: Scope[]
}

export const linesOf = (text: string): string[] => (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n')

/** Files in memory. */
export function readerOf(files: Record<string, FakeFile>) {
  const known = new Map(Object.entries(files))
  return {
    fileText: (_repository: string, path: string): string | null => known.get(path)?.text ?? null,
    outline(_repository: string, path: string): Outline | null {
      const scopes = known.get(path)?.scopes
      return scopes === undefined ? null : { scopes, imports: [] }
    },
  }
}

export const ranked = (path: string, entry: Partial<RankedFile> = {}): RankedFile => ({
  repository: 'shop',
  path,
  score: 0.5,
  reason: 'frame',
  why: 'failing frame',
  ranges: [],
  highlightedLines: [],
  ...entry,
})

export const scope = (name: string, startLine: number, endLine: number, entry: Partial<Scope> = {}): Scope => ({
  name,
  kind: 'function',
  startLine,
  endLine,
  leadLine: startLine,
  parent: null,
  ...entry,
})

export const numbered = (count: number): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}\n`).join('')

interface ShownLine {
  path: string
  number: number
  isMarked: boolean
  text: string
}

/** The rows of a context, as a reader of it sees them. */
function shownLines(context: string): ShownLine[] {
  let path = ''
  return context.split('\n').flatMap(row => {
    const header = /^=== File: (.+?) \[.* ===$/.exec(row)
    if (header !== null) path = header[1] ?? ''
    const line = /^(>>>| {3}) +(\d+) \|(?: (.*))?$/.exec(row)
    if (line === null) return []
    return [{ path, number: Number(line[2]), isMarked: line[1] === '>>>', text: line[3] ?? '' }]
  })
}

const anyLine = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      '}',
      '',
      '    ',
      '===',
      '\t\t\treturn x',
      "it's",
      '  const a = 12',
      'end // }',
      '<|endoftext|>',
      '漢字かな',
      'x'.repeat(700),
    ),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map(text => text.replaceAll('\n', ' ')) },
)

export const anyFile = fc.record({
  lines: fc.array(anyLine, { minLength: 1, maxLength: 90 }),
  endsWithLineEnd: fc.boolean(),
  cuts: fc.array(fc.tuple(fc.integer({ min: 1, max: 90 }), fc.integer({ min: 0, max: 40 })), { maxLength: 6 }),
  marks: fc.array(fc.integer({ min: 1, max: 95 }), { maxLength: 4 }),
  ranges: fc.array(fc.tuple(fc.integer({ min: 1, max: 95 }), fc.integer({ min: 0, max: 30 })), { maxLength: 4 }),
})

type LineKeys = ReadonlySet<string>

const keyOf = (path: string, line: number): string => `${path} ${line}`

function checkTokens({ context, contextTokens, sources }: Context, maxTokens: number): void {
  const counted = context === '' ? 0 : countTokens(context)
  if (contextTokens > maxTokens || contextTokens !== counted) {
    throw new Error(`${contextTokens} tokens of ${maxTokens}, counted ${counted}`)
  }
  if (context !== '' && sources.reduce((sum, { tokens }) => sum + tokens, 0) !== contextTokens) {
    throw new Error('the tokens of sources are not those of the context')
  }
}

function checkListed({ sources, dropped }: Context, keys: LineKeys): void {
  for (const { path, startLine, endLine } of sources) {
    for (let line = startLine; line <= endLine; line++) {
      if (!keys.has(keyOf(path, line))) throw new Error(`${path}:${line} is said to be shown`)
    }
  }
  for (const { path, startLine, endLine } of dropped) {
    for (let line = startLine; line <= endLine; line++) {
      if (keys.has(keyOf(path, line))) throw new Error(`${path}:${line} is said to be dropped`)
    }
  }
}

function checkMarks({ path, highlightedLines }: RankedFile, shown: readonly ShownLine[]): void {
  for (const { number, isMarked } of shown.filter(line => line.path === path)) {
    if (isMarked !== highlightedLines.includes(number)) throw new Error(`${path}:${number} is marked wrongly`)
  }
}

function checkNothingLost({ path, highlightedLines, ranges }: RankedFile, text: string, known: LineKeys): void {
  const count = text === '' ? 0 : linesOf(text).length
  const inRanges = ranges.flatMap(({ startLine, endLine }) =>
    Array.from({ length: endLine - startLine + 1 }, (_, at) => startLine + at),
  )
  for (const line of [...highlightedLines, ...inRanges]) {
    if (line <= count && !known.has(keyOf(path, line))) throw new Error(`nothing is said of ${path}:${line}`)
  }
}

/** Throws unless a context keeps what it promises of its tokens, lines, marks and sources. */
export function checkContext(
  built: Context,
  list: readonly RankedFile[],
  files: Record<string, FakeFile>,
  maxTokens: number,
): void {
  checkTokens(built, maxTokens)
  const shown = shownLines(built.context)
  const keys = new Set(shown.map(({ path, number }) => keyOf(path, number)))
  if (keys.size !== shown.length) throw new Error('a line stands there twice')
  checkListed(built, keys)
  const known = new Set(keys)
  for (const { path, startLine, endLine } of built.dropped) {
    for (let line = startLine; line <= endLine; line++) known.add(keyOf(path, line))
  }
  for (const file of list) {
    checkMarks(file, shown)
    checkNothingLost(file, files[file.path]?.text ?? '', known)
  }
}
