import type { DroppedSource, Source } from '../../core/resolution.ts'
import { SCORE_EVENNESS } from '../ranking/learned-weights.ts'
import type { RankedFile } from '../ranking/ranked-file.ts'
import { chanceOf } from './chance.ts'
import { cluesOf } from './clues.ts'
import { openFile, type CodeFile, type FileReader } from './code-file.ts'
import { fill, type Candidate, type Spending } from './fill.ts'
import { droppedOf } from './dropped.ts'
import { Excerpt } from './excerpt.ts'
import { printExcerpts, type ChunkBounds } from './print-excerpts.ts'
import { createRowTokens, type CountTokens, type RowTokens } from './row-tokens.ts'
import { unitsOf } from './units.ts'

/** The text for the answer or the prompt, and the sources that it is made of. */
export interface Context {
  context: string
  /** Exact tokens of the whole text. */
  contextTokens: number
  /** In the order of the text: files best first, lines in order. */
  sources: Source[]
  dropped: DroppedSource[]
}

/** Reads the files of a context. Without `chunksOf` no source is reported as a whole chunk. */
export type ContextReader = FileReader & { chunksOf?: (repository: string, path: string) => ChunkBounds[] }

/** How a context is built, and how large it may be. */
interface ContextOptions {
  reader: ContextReader
  /** The token budget: an upper bound of `contextTokens`. */
  maxTokens: number
  countTokens: CountTokens
  spending?: Spending
}

const LEAST_FILES = 8
const TOKENS_PER_FILE = 450
const rowTokensOf = new WeakMap<CountTokens, RowTokens>()

function candidatesOf(file: CodeFile): Candidate[] {
  const units = unitsOf(file)
  return cluesOf(file, units)
    .map((clues, index) => ({ unit: units[index], value: file.ranked.score * chanceOf(clues) }))
    .filter((candidate): candidate is Candidate => candidate.unit !== undefined)
}

/** The value of the best unit in some lines, as a share of that of the best unit overall. */
function scorer(candidates: readonly Candidate[], best: number): (file: CodeFile, from: number, to: number) => number {
  const byFile = Map.groupBy(candidates, ({ unit }) => unit.file)
  return (file, from, to) => {
    let value = 0
    for (const { unit, value: own } of byFile.get(file) ?? []) {
      if (unit.from <= to && unit.to >= from && own > value) value = own
    }
    return best === 0 ? 0 : Math.round((value / best) * 1000) / 1000
  }
}

/**
 * Puts the code that most likely has to change into one text within a token budget: extracts of ranked files along
 * their definitions, each under the headers of its scopes. No line appears twice; the same files give the same text.
 * Tokens of rows are counted when they are indexed and added up here: about 1 ms for 16,000 tokens.
 *
 * @param ranked - Best first.
 */
export function buildContext(
  ranked: readonly RankedFile[],
  { reader, maxTokens, countTokens, spending }: ContextOptions,
): Context {
  const rows = rowTokensOf.get(countTokens) ?? createRowTokens(countTokens)
  rowTokensOf.set(countTokens, rows)
  const files = ranked.map(file => ({ ...file, score: file.score ** SCORE_EVENNESS }))
  const mostFiles = LEAST_FILES + Math.floor(maxTokens / TOKENS_PER_FILE)
  const opened = files
    .slice(0, mostFiles)
    .map((file, rank) => openFile(file, rank, reader, rows))
    .filter(file => file !== null)
  const candidates = opened.flatMap(candidatesOf)
  const excerpts = new Map(opened.map(file => [file, new Excerpt(file, { rows, countTokens })]))
  fill(excerpts, candidates, maxTokens, spending)
  const best = candidates.reduce((most, { value }) => Math.max(most, value), 0)
  const score = scorer(candidates, best)
  const printed = printExcerpts([...excerpts.values()], { maxTokens, score, chunksOf: reader.chunksOf })
  return {
    ...printed,
    dropped: droppedOf([...excerpts.values()], files.slice(mostFiles), best === 0 ? 1 : best, score),
  }
}
