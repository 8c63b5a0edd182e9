import type { ParsedException, ParsedTrace } from '../../core/frame.ts'
import type { CodeReader } from '../code/code-reader.ts'
import { fuse, type WeightedList } from './fusion.ts'
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
export type Lists = Record<ListName, RankerHits>

interface ListUse extends Omit<WeightedList, 'files'> {}

/**
 * Found by maximising the likelihood of the files that fixes changed, over crashes with known fixes, with no weight
 * below zero; docs/evaluation.md says how well that holds for others. A list says different things of a file that the
 * trace names and of one that it does not, so there are two sets. Vectors cost as much as they gave where there are
 * frames; without any they help.
 */
const USES: Record<ListName, ListUse> = {
  frames: { reason: 'frame', named: { rank: 1.7, score: 1.8 } },
  textFiles: { reason: 'lexical', named: { rank: 0.9, score: 0.7 }, others: { rank: 1.2 } },
  message: { reason: 'lexical', named: { rank: 0.6, score: 0.8 } },
  source: { reason: 'lexical', named: { rank: 0.6 } },
  elsewhere: { reason: 'lexical', others: { rank: 0.9 } },
  rareWords: { reason: 'lexical', others: { rank: 1.9, score: 1.1 } },
  quoted: { reason: 'related', others: { rank: 1.1, score: 1.3 } },
  messageNames: { reason: 'related', others: { rank: 2.2 } },
  qualified: { reason: 'related', named: { rank: 0.6 }, others: { rank: 0.9, score: 1.6 } },
  callees: { reason: 'related', others: { rank: 0.2 } },
  users: { reason: 'related', others: { rank: 0.6, score: 2.2 } },
  hierarchy: { reason: 'related', others: { rank: 0.1 } },
  packaging: { reason: 'related', others: { rank: 3, score: 2.8 } },
  history: { reason: 'history', named: { rank: 0, score: 0.5 }, others: { rank: 0, score: 1.5 } },
  dense: { reason: 'similar', others: { rank: 1 } },
}
/**
 * Against it a file has to speak: the likelihood of the right files is greatest with it where some of them are in no
 * list.
 */
const NOTHING = 4.6
const MAX_FILES = 60

export interface RankDeps {
  reader: CodeReader
  /** The code that the frames were mapped in, where that is not the indexed one. */
  code?: CodeSource
  histories?: Histories
  embedQuery: EmbedQuery
}

const withoutVectors = (file: RankedFile): RankedFile =>
  file.reason === 'frame' ? file : { ...file, why: `${file.why} (by words only: the embedding service did not answer)` }

/** Only what names no file of the project is searched by vectors, too. */
export const needsVectors = ({ named }: TraceQuery): boolean => named.length === 0

/** By the words that a file shares with the text, the failing code and its message. */
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
 * What each ranker says, the best file first; a list is empty where its ranker has nothing to go by. Without a vector
 * nothing is in `dense`.
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

/**
 * One ranking of all lists: at most 60 files, the likeliest first, those that the trace names with its lines
 * highlighted.
 */
export function fuseLists(query: TraceQuery, lists: Lists): RankedFile[] {
  const weighted = Object.entries(USES).map(([name, use]): WeightedList => ({ ...use, files: lists[name as ListName] }))
  const named = new Map(query.named.map(place => [fileKey(place), place]))
  return fuse(weighted, {
    prior: createPrior(query, lists.frames),
    nothing: NOTHING,
    most: MAX_FILES,
    isNamed: file => named.has(fileKey(file)),
  }).map(file => ({ ...file, highlightedLines: named.get(fileKey(file))?.traceLines ?? [] }))
}

/**
 * The files that may hold the cause of a failure, most likely first: those of the trace and those that words, names,
 * definitions, imports, history and vectors lead to from there.
 *
 * @returns `degraded` when vectors were wanted and the embedding service did not answer; what was found without them
 * says so.
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
