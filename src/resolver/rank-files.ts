import type { ParsedException, ParsedTrace } from '../core/frame.ts'
import type { CodeReader } from './code-reader.ts'
import { fuse, type ListWeight, type WeightedList } from './fusion.ts'
import type { RankedFrame } from './rank-frames.ts'
import type { CleanText } from './stack-trace/clean.ts'
import type { RankedFile } from './ranked-file.ts'
import { denseText, embedded, rankByVectors, type EmbedQuery } from './rankers/dense.ts'
import { fileKey, type EvidenceList } from './rankers/evidence-list.ts'
import { rankFrames } from './rankers/frames.ts'
import { rankByGraph, type Closeness, type GraphLists } from './rankers/graph.ts'
import { rankByHistory, type Pasts } from './rankers/history.ts'
import { rankByWords, type LexicalLists } from './rankers/lexical.ts'
import { rankByNames, type NameLists } from './rankers/names.ts'
import { rankByPackaging } from './rankers/packaging.ts'
import { createPrior } from './prior.ts'
import { traceQuery, type CodeSource, type TraceQuery } from './trace-query.ts'

/** Every list that is fused, by the name that evaluations print. */
export type ListName = 'frames' | keyof LexicalLists | keyof NameLists | keyof GraphLists | 'packaging' | 'history' | 'dense'
export type Lists = Record<ListName, EvidenceList>

/**
 * Found by maximising the likelihood of the files that fixes changed, over crashes with known fixes, with no weight below zero; lists that only
 * repeat what others say (definitions of every word of the text, chunks by all its words or by the failing function's, what the frames' files import and are imported by) made the rest worse
 * and are not here. Vectors cost as much as they gave where there are frames; without any they help.
 */
const WEIGHTS: Record<ListName, ListWeight & { reason: WeightedList['reason'] }> = {
  frames: { rank: 0.8, score: 1.5, reason: 'frame' },
  textFiles: { rank: 2.1, score: 0.6, reason: 'lexical' },
  message: { rank: 0.5, reason: 'lexical' },
  source: { rank: 0.3, reason: 'lexical' },
  elsewhere: { rank: 1.3, reason: 'lexical' },
  messageNames: { rank: 0.2, reason: 'related' },
  textNames: { rank: 0.9, reason: 'related' },
  messagePaths: { rank: 0.7, reason: 'related' },
  qualified: { rank: 0.6, score: 0.4, reason: 'related' },
  callees: { rank: 0.3, reason: 'related' },
  callers: { rank: 0.2, reason: 'related' },
  users: { rank: 0.7, score: 1.2, reason: 'related' },
  hierarchy: { rank: 0.2, reason: 'related' },
  folder: { rank: 0.2, score: 0.1, reason: 'related' },
  packaging: { rank: 2.5, score: 1, reason: 'related' },
  history: { rank: 0, score: 1, reason: 'history' },
  dense: { rank: 0.7, reason: 'similar' },
}
/** Against it a file has to speak: the likelihood of the right files is greatest with it where some of them are in no list. */
const NOTHING = 4.5
const MAX_FILES = 60

export interface RankDeps {
  reader: CodeReader
  /** The code that the frames were mapped in, where that is not the indexed one. */
  code?: CodeSource
  pasts?: Pasts
  embedQuery: EmbedQuery
}

/**
 * The files that may hold the cause of a failure, most likely first: those of the trace and those that words, names,
 * definitions, imports, history and vectors lead to from there.
 */
export async function rankFiles (posted: CleanText, trace: ParsedTrace, { ranked, focus }: { ranked: readonly RankedFrame[], focus: ParsedException | null }, { reader, code = reader, pasts, embedQuery }: RankDeps): Promise<RankedFile[]> {
  const query = traceQuery(posted, trace, { ranked, focus, code })
  const { vector, note } = query.named.length > 0 ? { vector: null, note: '' } : await embedded(denseText(query), embedQuery)
  const files = fuseLists(query, rankLists(query, reader, { vector, pasts }))
  return note === '' ? files : files.map(file => file.reason === 'frame' ? file : { ...file, why: `${file.why}${note}` })
}

export function rankLists (query: TraceQuery, reader: CodeReader, { vector, pasts = new Map() }: { vector: Float32Array | null, pasts?: Pasts }): Lists {
  const words = rankByWords(query, reader)
  return {
    frames: rankFrames(query, reader),
    ...words,
    ...rankByNames(query, reader),
    ...rankByGraph(query, reader, closenessBy(words)),
    packaging: rankByPackaging(query, reader),
    history: rankByHistory(query, reader, pasts),
    dense: vector === null ? [] : rankByVectors(vector, reader),
  }
}

/** By the words that a file shares with the text, the failing code and its message. */
function closenessBy ({ textFiles, source, elsewhere }: LexicalLists): Closeness {
  const closeness = new Map<string, number>()
  for (const list of [textFiles, source, elsewhere]) {
    const top = list[0]?.score ?? 0
    for (const file of list) closeness.set(fileKey(file), Math.max(closeness.get(fileKey(file)) ?? 0, top === 0 ? 0 : file.score / top))
  }
  return file => closeness.get(fileKey(file)) ?? 0
}

export function fuseLists (query: TraceQuery, lists: Lists): RankedFile[] {
  const weighted = Object.entries(WEIGHTS).map(([name, weight]): WeightedList => ({ reason: weight.reason, weight, files: lists[name as ListName] }))
  const named = new Map(query.named.map(place => [fileKey(place), place]))
  return fuse(weighted, { prior: createPrior(query, lists.frames), nothing: NOTHING, most: MAX_FILES, isKept: file => named.has(fileKey(file)) })
    .map(file => ({ ...file, highlightedLines: named.get(fileKey(file))?.traceLines ?? [] }))
}
