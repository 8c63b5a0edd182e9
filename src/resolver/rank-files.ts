import type { ParsedException, ParsedTrace } from '../core/frame.ts'
import type { CodeReader } from './code-reader.ts'
import { fuse, type ListWeight, type WeightedList } from './fusion.ts'
import type { RankedFrame } from './rank-frames.ts'
import type { RankedFile } from './ranked-file.ts'
import { denseText, embedded, rankByVectors, type EmbedQuery } from './rankers/dense.ts'
import { fileKey, type EvidenceList } from './rankers/evidence-list.ts'
import { rankFrames } from './rankers/frames.ts'
import { rankByGraph, type GraphLists } from './rankers/graph.ts'
import { rankByWords, type LexicalLists } from './rankers/lexical.ts'
import { rankByNames, type NameLists } from './rankers/names.ts'
import { createPrior } from './prior.ts'
import { traceQuery, type CodeSource, type TraceQuery } from './trace-query.ts'

/** Every list that is fused, by the name that evaluations print. */
export type ListName = 'frames' | keyof LexicalLists | keyof NameLists | keyof GraphLists | 'dense'
export type Lists = Record<ListName, EvidenceList>

/** Found by maximising the likelihood of the files that fixes changed, over crashes with known fixes; see docs/retrieval.md. */
const WEIGHTS: Record<ListName, ListWeight & { reason: WeightedList['reason'] }> = {
  frames: { rank: 2, score: 2, reason: 'frame' },
  text: { rank: 1, score: 1, reason: 'lexical' },
  textFiles: { rank: 1, reason: 'lexical' },
  message: { rank: 0.3, reason: 'lexical' },
  source: { rank: 1, reason: 'lexical' },
  body: { rank: 0.5, reason: 'lexical' },
  messageNames: { rank: 1, reason: 'related' },
  textNames: { rank: 0.7, reason: 'related' },
  messagePaths: { rank: 0.2, reason: 'related' },
  textPaths: { rank: 0.2, reason: 'related' },
  mentioned: { rank: 0.8, reason: 'related' },
  messageDefinitions: { rank: 0.3, reason: 'related' },
  callees: { rank: 0.7, reason: 'related' },
  callers: { rank: 0.5, reason: 'related' },
  hierarchy: { rank: 0.5, reason: 'related' },
  siblings: { rank: 0.3, reason: 'related' },
  imports: { rank: 0.4, reason: 'related' },
  folder: { rank: 0.4, reason: 'related' },
  dense: { rank: 0.5, reason: 'similar' },
}
const NOTHING = 2
const MAX_FILES = 60

export interface RankDeps {
  reader: CodeReader
  /** The code that the frames were mapped in, where that is not the indexed one. */
  code?: CodeSource
  embedQuery: EmbedQuery
}

/**
 * The files that may hold the cause of a failure, most likely first: those of the trace and those that words, names,
 * definitions, imports and vectors lead to from there.
 */
export async function rankFiles (stackTrace: string, trace: ParsedTrace, { ranked, focus }: { ranked: readonly RankedFrame[], focus: ParsedException | null }, { reader, code = reader, embedQuery }: RankDeps): Promise<RankedFile[]> {
  const query = traceQuery(stackTrace, trace, { ranked, focus, code })
  const { vector, note } = await embedded(denseText(query), embedQuery)
  const files = fuseLists(query, rankLists(query, reader, vector))
  return note === '' ? files : files.map(file => file.reason === 'frame' ? file : { ...file, why: `${file.why}${note}` })
}

export function rankLists (query: TraceQuery, reader: CodeReader, vector: Float32Array | null): Lists {
  return {
    frames: rankFrames(query, reader),
    ...rankByWords(query, reader),
    ...rankByNames(query, reader),
    ...rankByGraph(query, reader),
    dense: vector === null ? [] : rankByVectors(vector, reader),
  }
}

export function fuseLists (query: TraceQuery, lists: Lists): RankedFile[] {
  const weighted = Object.entries(WEIGHTS).map(([name, weight]): WeightedList => ({ reason: weight.reason, weight, files: lists[name as ListName] }))
  const named = new Map(query.named.map(place => [fileKey(place), place]))
  return fuse(weighted, { prior: createPrior(query, lists.frames), nothing: NOTHING, most: MAX_FILES, isKept: file => named.has(fileKey(file)) })
    .map(file => ({ ...file, highlightedLines: named.get(fileKey(file))?.traceLines ?? [] }))
}
