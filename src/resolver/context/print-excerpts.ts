import type { Source } from '../../core/resolution.ts'
import type { CodeFile } from './code-file.ts'
import type { Excerpt, Run } from './excerpt.ts'
import { reasonFor } from './reason.ts'
import { qualifiedName, scopesAround } from './scopes.ts'

/** The lines of a chunk and its place among the chunks of its file. */
export interface ChunkBounds {
  chunkIndex: number
  totalChunks: number
  startLine: number
  endLine: number
}

/** What printing needs beside the excerpts. */
interface PrintOptions {
  maxTokens: number
  score: (file: CodeFile, from: number, to: number) => number
  chunksOf?: ((repository: string, path: string) => ChunkBounds[]) | undefined
}

const SEPARATOR = '\n\n'
const MAX_CHUNK_LOOKUPS = 8

/**
 * The definition that a source shows: the one of the line of the trace; else the first one that starts in the lines;
 * else the one around them.
 */
function symbolOf({ scopes }: CodeFile, from: number, to: number, marked: number | undefined): string | null {
  if (marked !== undefined) return qualifiedName(scopes, scopesAround(scopes, marked))
  const inside = scopes.find(({ startLine, kind }) => startLine >= from && startLine <= to && kind === 'function')
  return qualifiedName(scopes, scopesAround(scopes, inside?.startLine ?? Math.floor((from + to) / 2)))
}

function sourceOf(
  { file }: Excerpt,
  { from, to }: Run,
  score: PrintOptions['score'],
): Omit<Source, 'chunkIndex' | 'totalChunks' | 'tokens'> {
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

function wholeChunk(excerpt: Excerpt, chunksOf: PrintOptions['chunksOf']): ChunkBounds | null {
  const runs = excerpt.runs()
  const [run] = runs
  if (chunksOf === undefined || run === undefined || runs.length > 1) return null
  return (
    chunksOf(excerpt.file.ranked.repository, excerpt.file.ranked.path).find(
      ({ startLine, endLine }) => startLine === run.from && endLine === run.to,
    ) ?? null
  )
}

function print(
  excerpts: readonly Excerpt[],
  { score, chunksOf }: PrintOptions,
): { context: string; contextTokens: number; sources: Source[] } {
  const texts: string[] = []
  const sources: Source[] = []
  let contextTokens = 0
  for (const [index, excerpt] of excerpts.entries()) {
    const chunk = index < MAX_CHUNK_LOOKUPS ? wholeChunk(excerpt, chunksOf) : null
    const header = excerpt.header(chunk === null ? null : { index: chunk.chunkIndex, total: chunk.totalChunks })
    const tokens = excerpt.tokens(header, index === excerpts.length - 1 ? '' : SEPARATOR)
    texts.push(header + '\n' + excerpt.render().join('\n'))
    let open = tokens.header // what belongs to no extract counts to the next one
    for (const [at, run] of excerpt.runs().entries()) {
      open += tokens.runs[at] ?? 0
      contextTokens += tokens.runs[at] ?? 0
      if (run.isHeader) continue
      sources.push({
        ...sourceOf(excerpt, run, score),
        chunkIndex: chunk?.chunkIndex ?? null,
        totalChunks: chunk?.totalChunks ?? null,
        tokens: open,
      })
      open = 0
    }
    contextTokens += tokens.header
  }
  return { context: texts.join(SEPARATOR), contextTokens, sources }
}

/** Prints every excerpt that shows something: the text, its tokens, and its sources. */
export function printExcerpts(
  excerpts: readonly Excerpt[],
  options: PrintOptions,
): { context: string; contextTokens: number; sources: Source[] } {
  let shown = excerpts.filter(excerpt => excerpt.runs().some(({ isHeader }) => !isHeader))
  for (;;) {
    const printed = print(shown, options)
    if (printed.contextTokens <= options.maxTokens) return printed
    const last = shown.at(-1) // the bounds that the lines were chosen by are wrong: never show too much
    last?.hideAll()
    shown = shown.slice(0, -1)
  }
}
