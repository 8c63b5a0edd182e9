// Crashes whose fix is known, and how well an answer finds what the fix has changed.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Static } from 'typebox'
import { FoundSchema } from '../../src/contract/resolution.ts'
import { toWire, type CamelCased } from '../../src/contract/wire.ts'
import type { MappedFrame, ParsedException } from '../../src/core/frame.ts'
import type { CodeReader } from '../../src/resolver/code/code-reader.ts'
import { buildContext } from '../../src/resolver/context/build-context.ts'
import { mapFrames } from '../../src/resolver/mapping/map-frames.ts'
import { withOutputs } from '../../src/resolver/mapping/outputs.ts'
import { shortAnswer } from '../../src/resolver/short-answer.ts'
import { focusOf, rankFrames } from '../../src/resolver/ranking/rank-frames.ts'
import { fuseLists, needsVectors, rankLists, type Lists } from '../../src/resolver/ranking/rank-files.ts'
import type { RankedFile } from '../../src/resolver/ranking/ranked-file.ts'
import { denseText, embedded } from '../../src/resolver/ranking/rankers/dense.ts'
import { cleanText } from '../../src/stack-trace/layout/clean.ts'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { countTokens } from '../../src/tokens/o200k.ts'
import { traceQuery, type TraceQuery } from '../../src/resolver/ranking/trace-query.ts'
import type { EvalProject } from './project.ts'
import { seedSources, withinBudget, type Window } from './seed.ts'

/** One line of a file of crashes. Line numbers are those of the base commit, 1-based and inclusive. */
export interface Crash {
  id: string
  repo: string
  base_commit: string
  trace: string
  gold_files: string[]
  gold_lines: Array<{ file: string; start: number; end: number }>
  /** Whether the trace names one of the files. Without it, our mapping of the frames decides. */
  in_trace?: boolean
}

/** What of a fix the sources of an answer show. */
export interface Recall {
  /** Whether they show one of the changed files. */
  file: boolean
  /** The share of changed places that they show; null when the crash does not say which lines changed. */
  lines: number | null
}

/** What a short answer shows of a fix. */
export interface ShortRecall extends Recall {
  /** Whether the answer shows or names one of the changed files. */
  named: boolean
  /** Of the whole answer as JSON, about. */
  bytes: number
  tokens: number
  /** What a model is sent of it. */
  model: Recall & { tokens: number }
  traceLines: number
}

/** How well one crash was answered. */
export interface Outcome {
  id: string
  isInTrace: boolean
  /** The score of the first file, and whether that file had to change; null when nothing was found. */
  first: { score: number; isRight: boolean } | null
  /** For each ranker, the place of the first file that had to change, from 1; null when none is in its list. */
  ranks: ReadonlyMap<string, number | null>
  /** Our answer, by token budget. */
  ours: ReadonlyMap<number, Recall>
  short: ShortRecall
  seed: ReadonlyMap<number, Recall>
}

/** Sizes of contexts that are compared, in tokens. */
export const BUDGETS = [2_000, 4_000, 8_000, 16_000, 32_000] as const
/** Names of the rows that are no ranker's. */
export const FUSION = 'fusion'
/** The order in which an answer shows files. */
export const CONTEXT = 'context of 16k'
/** The baseline. */
export const SEED = 'seed'
const ANSWER_TOKENS = 16_000
/** Ids, commit, status, usage, times and two suspect commits. */
const OTHER_BYTES = 1_500
const NEAR_LINES = 1 // a place where lines were added lies between two

/** Reads a file that has a crash as JSON on each line. */
export function readCrashes(path: string): Crash[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(line => line.trim() !== '')
    .map(line => JSON.parse(line) as Crash)
}

/** The path of the bare clone of `owner/name`: `owner+name`, or `repo` in it. */
export function cloneOf(folder: string, repo: string): string {
  const base = join(folder, repo.replace('/', '+'))
  return existsSync(join(base, 'repo')) ? join(base, 'repo') : base
}

/** What ranking made of a crash. */
export interface RankedCrash {
  query: TraceQuery
  /** The list of each ranker, also that of vectors where it is not fused. */
  lists: Lists
  /** The lists that are fused. */
  fused: Lists
  files: RankedFile[]
  /** The files of the trace's frames. */
  mapped: string[]
  exceptions: ParsedException[]
  frames: MappedFrame[]
}

/** Ranks the files of a project for a trace, by the same steps as `locate`. */
export async function rankCrash(
  stackTrace: string,
  { reader, embedQuery, outputs, pasts }: EvalProject,
): Promise<RankedCrash> {
  const trace = parseStackTrace(stackTrace)
  const repositories = [...new Set(reader.files().map(({ repository }) => repository))]
  const frames = await withOutputs(
    found => mapFrames(trace.frames, reader.files(), reader.fileText, { outputs: found }),
    repositories,
    outputs,
  )
  const focus = focusOf(trace.exceptions, undefined)
  const query = traceQuery(cleanText(stackTrace), trace, {
    ranked: rankFrames(frames, trace.exceptions, focus),
    focus,
    code: reader,
  })
  const { vector } = await embedded(denseText(query), embedQuery)
  const lists = rankLists(query, reader, { vector, histories: pasts })
  const fused = needsVectors(query) ? lists : { ...lists, dense: [] }
  return {
    query,
    lists,
    fused,
    files: fuseLists(query, fused),
    mapped: frames.flatMap(({ path }) => path ?? []),
    exceptions: trace.exceptions,
    frames,
  }
}

function recallOf(sources: readonly Window[], { gold_files: files, gold_lines: places }: Crash): Recall {
  const paths = new Set(sources.map(({ path }) => path))
  const shown = places.filter(({ file, start, end }) =>
    sources.some(
      ({ path, startLine, endLine }) => path === file && startLine <= end + NEAR_LINES && endLine >= start - NEAR_LINES,
    ),
  )
  return { file: files.some(path => paths.has(path)), lines: places.length === 0 ? null : shown.length / places.length }
}

function shortRecallOf(crash: Crash, { files, exceptions, frames }: RankedCrash, reader: CodeReader): ShortRecall {
  const findings = { exceptions, frames, files, reader, maxTokens: ANSWER_TOKENS, countTokens }
  const detailed = shortAnswer(findings)
  const forModel = shortAnswer({ ...findings, forModel: true })
  const { sources, dropped, contextTokens } = detailed
  // the fields that an evaluation has no values for count among the others
  const found = { ...detailed, exceptions } as unknown as CamelCased<Static<typeof FoundSchema>>
  const names = new Set(dropped.map(name => (typeof name === 'string' ? name : name.path)))
  const recall = recallOf(sources, crash)
  return {
    ...recall,
    named: recall.file || crash.gold_files.some(path => names.has(path)),
    bytes: OTHER_BYTES + Buffer.byteLength(JSON.stringify(toWire(FoundSchema, found))),
    tokens: contextTokens,
    model: { ...recallOf(forModel.sources, crash), tokens: forModel.contextTokens },
    traceLines: crash.trace.split('\n').length,
  }
}

/** Answers a crash like the server and like the baseline, and compares both answers with the fix. */
export async function evaluate(crash: Crash, project: EvalProject): Promise<Outcome> {
  const ranked = await rankCrash(crash.trace, project)
  const { lists, files, mapped } = ranked
  const wanted = new Set(crash.gold_files)
  const placeIn = (paths: Iterable<string>): number | null =>
    [...new Set(paths)].findIndex(path => wanted.has(path)) + 1 || null
  const ours = new Map(
    BUDGETS.map(maxTokens => [
      maxTokens,
      buildContext(files, { reader: project.reader, maxTokens, countTokens }).sources,
    ]),
  )
  const plain = await seedSources(crash.trace, project.seed)
  const ranks = new Map<string, number | null>(
    Object.entries(lists).map(([name, list]) => [name, placeIn(list.map(({ path }) => path))]),
  )
  ranks.set(FUSION, placeIn(files.map(({ path }) => path)))
  ranks.set(CONTEXT, placeIn((ours.get(ANSWER_TOKENS) ?? []).map(({ path }) => path)))
  ranks.set(SEED, placeIn(plain.map(({ path }) => path)))
  return {
    id: crash.id,
    isInTrace: crash.in_trace ?? mapped.some(path => wanted.has(path)),
    first: files[0] === undefined ? null : { score: files[0].score, isRight: wanted.has(files[0].path) },
    ranks,
    short: shortRecallOf(crash, ranked, project.reader),
    ours: new Map([...ours].map(([budget, sources]) => [budget, recallOf(sources, crash)])),
    seed: new Map(BUDGETS.map(budget => [budget, recallOf(withinBudget(plain, budget, project), crash)])),
  }
}
