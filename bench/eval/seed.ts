// The baseline of every evaluation: what a plain retrieval server does. It cuts files into windows of 500 lines that
// overlap by 50, hashes their words, takes files of the trace by their base name and the three most similar windows,
// and shows whole windows, or the first 100 lines of similar ones.
import { createLocalEmbedder } from '../../src/embedding/local-embedder.ts'
import { createLineChunker } from '../../src/indexer/chunker.ts'
import { baseName } from '../../src/core/path-names.ts'
import { linesOf } from '../../src/resolver/code/file-texts.ts'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { countTokens } from '../../src/tokens/o200k.ts'
import type { EvalProject, SourceFile } from './project.ts'
import { nearest, type VectorRows } from './vector-rows.ts'

/** Lines of a file, 1-based and inclusive. */
export interface Window {
  path: string
  startLine: number
  endLine: number
}

/** Windows, and their vectors in the same order. */
export interface Seed extends VectorRows {
  windows: Window[]
}

const SIMILAR = 3
const PREVIEW_LINES = 100
const MAX_LINE_CHARS = 10_000 // words without end take the tokenizer quadratic time
const BATCH = 500
const chunker = createLineChunker()
const embedder = createLocalEmbedder()

const embed = async (text: string): Promise<Float32Array> =>
  (await embedder.embed([text])).vectors[0] ?? new Float32Array(0)

/** Cuts files into windows of lines and embeds them, each with its path before it. */
export async function seedOf(files: readonly SourceFile[]): Promise<Seed> {
  const pieces = files.flatMap(({ path, text, language }) =>
    chunker.chunk(text, language).map(({ startLine, endLine, startOffset, endOffset }) => ({
      path,
      startLine,
      endLine,
      text: text.slice(startOffset, endOffset),
    })),
  )
  const dimensions = (await embed('')).length
  const values = new Float32Array(pieces.length * dimensions)
  for (let first = 0; first < pieces.length; first += BATCH) {
    const { vectors } = await embedder.embed(
      pieces.slice(first, first + BATCH).map(({ path, text }) => `${path}\n${text}`),
    )
    for (const [i, vector] of vectors.entries()) values.set(vector, (first + i) * dimensions)
  }
  return { windows: pieces.map(({ path, startLine, endLine }) => ({ path, startLine, endLine })), values, dimensions }
}

/** All files, ordered by their most similar window. */
export async function seedSearch(query: string, seed: Seed): Promise<string[]> {
  return [
    ...new Set(nearest(seed, await embed(query), seed.windows.length).map(({ row }) => seed.windows[row]?.path ?? '')),
  ]
}

/** The windows that would be shown for a trace, those of frames nearest to the failure first. */
export async function seedSources(trace: string, seed: Seed): Promise<Window[]> {
  const byName = Map.groupBy(seed.windows, ({ path }) => baseName(path))
  const named = parseStackTrace(trace)
    .frames.toReversed()
    .flatMap(({ file, line }) => {
      const name = file === null ? '' : baseName(file.replaceAll('\\', '/'))
      const same = byName.get(name) ?? []
      const ofFirst = same.filter(({ path }) => path === same[0]?.path)
      return (
        ofFirst.find(({ startLine, endLine }) => line !== null && startLine <= line && line <= endLine) ??
        ofFirst[0] ??
        []
      )
    })
  const similar = nearest(seed, await embed(trace), SIMILAR)
    .flatMap(({ row }) => seed.windows[row] ?? [])
    .map(window => ({ ...window, endLine: Math.min(window.endLine, window.startLine + PREVIEW_LINES - 1) }))
  return [...new Set([...named, ...similar])]
}

/** The windows that fit into a token budget, in order; the last one may be cut. */
export function withinBudget(
  sources: readonly Window[],
  maxTokens: number,
  { reader }: Pick<EvalProject, 'reader'>,
): Window[] {
  const repository = reader.files()[0]?.repository ?? ''
  const shown: Window[] = []
  let left = maxTokens
  for (const { path, startLine, endLine } of sources) {
    const lines = linesOf(reader.fileText(repository, path) ?? '')
    const tokensOf = (line: number): number => countTokens(`${lines.line(line - 1) ?? ''}\n`.slice(-MAX_LINE_CHARS))
    let line = startLine
    for (let tokens = tokensOf(line); line <= endLine && tokens <= left; tokens = tokensOf(++line)) left -= tokens
    if (line > startLine) shown.push({ path, startLine, endLine: line - 1 })
    if (line <= endLine) break
  }
  return shown
}
