import type { ParsedException, ParsedTrace } from '../../core/frame.ts'
import type { SourceReason } from '../../core/resolution.ts'
import type { CodeReader } from '../code/code-reader.ts'
import { candidatesOf, fuse, type CandidateOptions, type FileSum, type WeightedList } from './fusion.ts'
import { FILE_WEIGHTS, type FileWeights, type ListWeights } from './learned-weights.ts'
import type { RankedFrame } from './rank-frames.ts'
import type { CleanText } from '../../stack-trace/layout/clean.ts'
import type { RankedFile } from './ranked-file.ts'
import { denseText, embedded, rankByVectors, type EmbedQuery } from './rankers/dense.ts'
import { fileKey, type RankerHits } from './rankers/hits.ts'
import { rankFrames } from './rankers/frames.ts'
import { rankByGraph, type Closeness, type GraphLists } from './rankers/graph.ts'
import { rankByHistory, type Histories } from './rankers/history.ts'
import { rankByWords, type LexicalLists } from './rankers/lexical.ts'
import { rankByNames, type NameLists } from './rankers/names.ts'
import { rankByPackaging } from './rankers/packaging.ts'
import { rankByQuotes } from './rankers/quoted.ts'
import { createPrior } from './prior.ts'
import { traceQuery, type CodeSource, type TraceQuery } from './trace-query.ts'

/** Every list that is fused, by the name that evaluations print. */
export type ListName =
  'frames' | keyof LexicalLists | keyof NameLists | keyof GraphLists | 'quoted' | 'packaging' | 'history' | 'dense'
/** The hits of each ranker. */
export type Lists = Record<ListName, RankerHits>

/** Weights for every list. */
type RankingWeights = FileWeights & { lists: Record<ListName, ListWeights> }

/** Why a file is in an answer, by the list that speaks most for it. */
const REASONS: Record<ListName, SourceReason> = {
  frames: 'frame',
  textFiles: 'lexical',
  message: 'lexical',
  source: 'lexical',
  elsewhere: 'lexical',
  rareWords: 'lexical',
  quoted: 'related',
  messageNames: 'related',
  qualified: 'related',
  callees: 'related',
  users: 'related',
  hierarchy: 'related',
  packaging: 'related',
  history: 'history',
  dense: 'similar',
}
const MAX_FILES = 60

/** What ranking reads and searches with. */
interface RankDeps {
  reader: CodeReader
  /** The code that the frames were mapped in, where it is not the indexed one. */
  code?: CodeSource
  histories?: Histories
  embedQuery: EmbedQuery
}

const withoutVectors = (file: RankedFile): RankedFile =>
  file.reason === 'frame' ? file : { ...file, why: `${file.why} (by words only: the embedding service did not answer)` }

/** Whether vectors are searched, too: only for a trace that names no file of the project. */
export const needsVectors = ({ named }: TraceQuery): boolean => named.length === 0

/** How many words a file shares with the text, the failing code and its message. */
function closenessBy({ textFiles, source, elsewhere }: LexicalLists): Closeness {
  const closeness = new Map<string, number>()
  for (const list of [textFiles, source, elsewhere]) {
    const top = list[0]?.score ?? 0
    for (const file of list) {
      closeness.set(fileKey(file), Math.max(closeness.get(fileKey(file)) ?? 0, top === 0 ? 0 : file.score / top))
    }
  }
  return file => closeness.get(fileKey(file)) ?? 0
}

/**
 * The hits of each ranker, the best file first; a list is empty where its ranker has nothing to go by. Without a vector
 * `dense` is empty.
 */
export function rankLists(
  query: TraceQuery,
  reader: CodeReader,
  { vector, histories = new Map() }: { vector: Float32Array | null; histories?: Histories },
): Lists {
  const words = rankByWords(query, reader)
  return {
    frames: rankFrames(query, reader),
    ...words,
    ...rankByNames(query, reader),
    ...rankByGraph(query, reader, closenessBy(words)),
    quoted: rankByQuotes(query, reader),
    packaging: rankByPackaging(query, reader),
    history: rankByHistory(query, reader, histories),
    dense: vector === null ? [] : rankByVectors(vector, reader),
  }
}

function weightedLists(lists: Lists, weights: RankingWeights): WeightedList[] {
  return Object.entries(REASONS).map(([name, reason]) => ({
    ...weights.lists[name as ListName],
    reason,
    files: lists[name as ListName],
  }))
}

function candidateOptions(query: TraceQuery, lists: Lists, weights: RankingWeights): CandidateOptions {
  const named = new Set(query.named.map(fileKey))
  return { prior: createPrior(query, lists.frames, weights.prior), isNamed: file => named.has(fileKey(file)) }
}

/**
 * Every file of the lists with the sum of what speaks for it, which is linear in the weights; always in the same order.
 */
export const sumsOfFiles = (query: TraceQuery, lists: Lists, weights: RankingWeights): FileSum[] =>
  candidatesOf(weightedLists(lists, weights), candidateOptions(query, lists, weights))

/**
 * One ranking of all lists: at most 60 files, the likeliest first; for files that the trace names its lines are
 * highlighted.
 */
export function fuseLists(query: TraceQuery, lists: Lists, weights: RankingWeights = FILE_WEIGHTS): RankedFile[] {
  const traceLines = new Map(query.named.map(place => [fileKey(place), place.traceLines]))
  return fuse(weightedLists(lists, weights), {
    ...candidateOptions(query, lists, weights),
    nothing: weights.noFile,
    most: MAX_FILES,
  }).map(file => ({ ...file, highlightedLines: traceLines.get(fileKey(file)) ?? [] }))
}

/**
 * The files that may hold the cause of a failure, most likely first: those of the trace and those to which words,
 * names, definitions, imports, history and vectors lead from there.
 *
 * @returns `degraded` is true when vectors were wanted and the embedding service did not answer; the reasons then say
 * so.
 */
export async function rankFiles(
  posted: CleanText,
  trace: ParsedTrace,
  { ranked, focus }: { ranked: readonly RankedFrame[]; focus: ParsedException | null },
  { reader, code = reader, histories, embedQuery }: RankDeps,
): Promise<{ files: RankedFile[]; degraded: boolean }> {
  const query = traceQuery(posted, trace, { ranked, focus, code })
  const { vector, failed } = needsVectors(query)
    ? await embedded(denseText(query), embedQuery)
    : { vector: null, failed: false }
  const files = fuseLists(query, rankLists(query, reader, { vector, histories }))
  return { files: failed ? files.map(withoutVectors) : files, degraded: failed }
}
