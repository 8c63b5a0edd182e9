import type { Source } from '../../core/resolution.ts'
import type { CodeFile } from './code-file.ts'
import { rowBody, rowNumber } from './line-text.ts'
import { elision, type Page, type Run } from './page.ts'
import { reasonFor } from './reason.ts'
import type { CountTokens } from './row-tokens.ts'
import { qualifiedName, scopesAround } from './scopes.ts'

export interface ChunkBounds { chunkIndex: number, totalChunks: number, startLine: number, endLine: number }

export interface PrintOptions {
  maxTokens: number
  countTokens: CountTokens
  score: (file: CodeFile, from: number, to: number) => number
  chunksOf?: ((repository: string, path: string) => ChunkBounds[]) | undefined
}

const SEPARATOR = '\n\n'
const MAX_CHUNK_LOOKUPS = 8

/** The text of all pages that show something, its tokens, and what it is made of. */
export function printPages (pages: readonly Page[], options: PrintOptions): { context: string, contextTokens: number, sources: Source[] } {
  let shown = pages.filter(page => page.runs().some(({ isHeader }) => !isHeader))
  for (;;) {
    const printed = print(shown, options)
    if (printed.contextTokens <= options.maxTokens) return printed
    const last = shown.at(-1) // the bounds that the lines were chosen by are wrong: never show too much
    last?.hide({ from: 1, to: last.file.lineCount })
    shown = shown.slice(0, -1)
  }
}

function print (pages: readonly Page[], { countTokens, score, chunksOf }: PrintOptions): { context: string, contextTokens: number, sources: Source[] } {
  const texts: string[] = []
  const sources: Source[] = []
  let contextTokens = 0
  for (const [index, page] of pages.entries()) {
    const chunk = index < MAX_CHUNK_LOOKUPS ? wholeChunk(page, chunksOf) : null
    const rows = page.render(chunk === null ? null : { index: chunk.chunkIndex, total: chunk.totalChunks })
    const end = index === pages.length - 1 ? '' : SEPARATOR
    const { tokens, perRun } = tokensOf(page, rows, end, countTokens)
    contextTokens += tokens
    texts.push(rows.join('\n'))
    for (const [at, run] of page.runs().entries()) if (!run.isHeader) sources.push({ ...sourceOf(page, run, score), chunkIndex: chunk?.chunkIndex ?? null, totalChunks: chunk?.totalChunks ?? null, tokens: perRun[at] ?? 0 })
  }
  return { context: texts.join(SEPARATOR), contextTokens, sources }
}

/** Exact: all rows but the last end at a line end. What belongs to no extract counts to the next one. */
function tokensOf (page: Page, rows: readonly string[], end: string, countTokens: CountTokens): { tokens: number, perRun: number[] } {
  const runs = page.runs()
  const lastRun = runs.at(-1)
  const gap = runs.length > 1 ? countTokens(`${elision(String(lastRun?.to ?? 1).length)}\n`) : 0
  const perRun: number[] = []
  let tokens = countTokens(`${rows[0] ?? ''}\n`)
  let open = tokens
  for (const [index, run] of runs.entries()) {
    let sum = index > 0 ? gap : 0
    for (let line = run.from; line <= run.to; line++) {
      sum += run === lastRun && line === run.to
        ? countTokens(rowNumber(line, page.file.isMarked.has(line), 0)) + countTokens(rowBody(page.file.line(line)) + end)
        : page.rowTokens(line)
    }
    tokens += sum
    open += sum
    perRun.push(run.isHeader ? 0 : open)
    if (!run.isHeader) open = 0
  }
  return { tokens, perRun }
}

function sourceOf ({ file }: Page, { from, to }: Run, score: PrintOptions['score']): Omit<Source, 'chunkIndex' | 'totalChunks' | 'tokens'> {
  const marked = file.marks.filter(line => from <= line && line <= to)
  const { repository, path } = file.ranked
  return {
    repository,
    path,
    startLine: from,
    endLine: to,
    symbol: symbolOf(file, from, to, marked[0]),
    highlightedLines: marked.sort((a, b) => a - b),
    ...reasonFor(file, from, to),
    score: score(file, from, to),
  }
}

/** Of the line of the trace; else of the first definition in the lines, which is what they show; else of what is around them. */
function symbolOf ({ scopes }: CodeFile, from: number, to: number, marked: number | undefined): string | null {
  if (marked !== undefined) return qualifiedName(scopes, scopesAround(scopes, marked))
  const inside = scopes.find(({ startLine, kind }) => startLine >= from && startLine <= to && kind === 'function')
  return qualifiedName(scopes, scopesAround(scopes, inside?.startLine ?? Math.floor((from + to) / 2)))
}

function wholeChunk (page: Page, chunksOf: PrintOptions['chunksOf']): ChunkBounds | null {
  const runs = page.runs()
  const [run] = runs
  if (chunksOf === undefined || run === undefined || runs.length > 1) return null
  return chunksOf(page.file.ranked.repository, page.file.ranked.path).find(({ startLine, endLine }) => startLine === run.from && endLine === run.to) ?? null
}
