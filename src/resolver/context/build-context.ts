import type { DroppedSource, Source } from '../../core/resolution.ts'
import { SCORE_EVENNESS } from '../ranking/learned-weights.ts'
import type { RankedFile } from '../ranking/ranked-file.ts'
import { chanceOf } from './chance.ts'
import { eachClues } from './clues.ts'
import { openFile, type CodeFile, type FileReader } from './code-file.ts'
import { fill, type FileUnits, type Spending } from './fill.ts'
import { droppedOf } from './dropped.ts'
import { Excerpt } from './excerpt.ts'
import { printExcerpts, type ChunkBounds } from './print-excerpts.ts'
import { createRowTokens, type CountTokens, type RowTokens } from './row-tokens.ts'
import { unitsOf, type UnitSize } from './units.ts'

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
  unitSize?: UnitSize
}

const LEAST_FILES = 8
const TOKENS_PER_FILE = 450
const rowTokensOf = new WeakMap<CountTokens, RowTokens>()

function valued(file: CodeFile, size: UnitSize | undefined): FileUnits {
  const units = unitsOf(file, size)
  const values = new Float64Array(units.length)
  eachClues(file, units, (clues, index) => {
    values[index] = file.ranked.score * chanceOf(clues)
  })
  return { file, units, values }
}

/** The value of the best unit in some lines, as a share of that of the best unit overall. */
function scorer(files: readonly FileUnits[], best: number): (file: CodeFile, from: number, to: number) => number {
  const byFile = new Map(files.map(one => [one.file, one]))
  return (file, from, to) => {
    const { units, values } = byFile.get(file) ?? { units: [], values: [] }
    let value = 0
    for (let i = 0; i < units.length; i++) {
      const unit = units[i]
      const own = values[i] ?? 0
      if (own > value && unit !== undefined && unit.from <= to && unit.to >= from) value = own
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
  { reader, maxTokens, countTokens, spending, unitSize }: ContextOptions,
): Context {
  const rows = rowTokensOf.get(countTokens) ?? createRowTokens(countTokens)
  rowTokensOf.set(countTokens, rows)
  const files = ranked.map(file => ({ ...file, score: file.score ** SCORE_EVENNESS }))
  const mostFiles = LEAST_FILES + Math.floor(maxTokens / TOKENS_PER_FILE)
  const opened = files
    .slice(0, mostFiles)
    .map((file, rank) => openFile(file, rank, reader, rows))
    .filter(file => file !== null)
  const units = opened.map(file => valued(file, unitSize))
  const excerpts = new Map(opened.map(file => [file, new Excerpt(file, { rows, countTokens })]))
  fill(excerpts, units, maxTokens, spending)
  const best = units.reduce((most, { values }) => values.reduce((more, value) => Math.max(more, value), most), 0)
  const score = scorer(units, best)
  const printed = printExcerpts([...excerpts.values()], { maxTokens, score, chunksOf: reader.chunksOf })
  return {
    ...printed,
    dropped: droppedOf([...excerpts.values()], files.slice(mostFiles), best === 0 ? 1 : best, score),
  }
}
