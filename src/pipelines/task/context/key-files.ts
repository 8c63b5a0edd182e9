import { baseName } from '../../../core/path-names.ts'
import { isTestFile } from '../../../core/test-files.ts'
import type { PathKind } from '../../../resolver/code/path-kinds.ts'
import { BUDGETS } from './budgets.ts'
import { entryPoints, isTypeFile } from './entry-points.ts'
import type { Candidate } from './fit-files.ts'
import { guideFiles, metadataFiles } from './metadata-files.ts'
import type { ShownPaths } from './shown-files.ts'
import { CERTAIN, filesByWords } from './task-words.ts'

/** Files that are looked for in one way, with the tokens that they may take together. */
export interface CandidateGroup {
  candidates: Candidate[]
  maxTokens: number
}

/** What a file is by its path. */
export type KindOfPath = (path: string) => Pick<PathKind, 'isTest' | 'isAside' | 'isConfig'>

/** A file that the search finds; scores of one answer can be compared. */
export interface FoundFile {
  path: string
  score: number
}

interface KeyFilesOf {
  description: string
  shown: Pick<ShownPaths, 'paths'>
  /** What the description names by paths. */
  named: readonly string[]
  /** What the search finds for the task, best first. */
  found: readonly FoundFile[]
  /** What the manifest at the root names as where the package begins. */
  manifestEntries: readonly string[]
}

/** A file that is not certain to be meant takes no more than half of the level. */
const LARGE = BUDGETS.key / 2
const MEDIUM = 8_000
const SMALL = 4_000
/** More files of one name are not what a word means. */
const FEW = 5
const SURELY_FOUND = 6
const MAX_FOUND = 40
/** Parts of the best hit's score below which a hit says nothing. */
const LEAST_OF_BEST = 0.25
const LEAST_OF_OTHERS = 0.5
const MAX_ENTRY_POINTS = 20
const MAX_TYPE_FILES = 20
/** The least of a name that a task has to have, of code, of tests, and of anything else. */
const LEAST_OF_NAME = 0.45
const LEAST_OF_TEST_NAME = 0.8

function foldersOf(path: string): string[] {
  const names = path.split('/').slice(0, -1)
  return names.map((_, depth) => names.slice(0, depth + 1).join('/'))
}

/** Where what a type file describes lies: its folder, or the one that holds its `types/`. */
function describedFolder(path: string): string {
  const folders = path.split('/').slice(0, -1)
  const types = folders.findIndex(name => /^(?:types|typings)$/i.test(name))
  return (types < 0 ? folders : folders.slice(0, types)).join('/')
}

/** Type files, those first that lie around files of the task; the others only where there are few. */
function typeFiles(paths: readonly string[], near: readonly string[]): string[] {
  const around = new Set(['', ...near.flatMap(foldersOf)])
  const all = paths
    .filter(path => isTypeFile(path) && !isTestFile(path))
    .map(path => ({ path, isNear: around.has(describedFolder(path)), depth: path.split('/').length }))
  return all
    .filter(({ isNear }) => isNear || all.length <= MAX_TYPE_FILES)
    .sort((a, b) => Number(b.isNear) - Number(a.isNear) || b.depth - a.depth || (a.path < b.path ? -1 : 1))
    .slice(0, MAX_TYPE_FILES)
    .map(({ path }) => path)
}

const cuttable = (paths: readonly string[], maxTokens: number): Candidate[] =>
  paths.map(path => ({ path, maxTokens, mayBeCut: true }))
const wholeOnly = (paths: readonly string[], maxTokens: number): Candidate[] =>
  paths.map(path => ({ path, maxTokens, mayBeCut: false }))

/** What the search finds, by what the files are. */
interface Found {
  /** Code of the project. */
  code: string[]
  tests: string[]
  /** Documentation, examples, settings, data. */
  others: string[]
}

function isCode({ kindOf }: { kindOf: KindOfPath }, path: string): boolean {
  const { isTest, isAside, isConfig } = kindOf(path)
  return !isTest && !isAside && !isConfig
}

function leastScore({ kindOf }: { kindOf: KindOfPath }, path: string): number {
  const { isTest, isAside, isConfig } = kindOf(path)
  if (isAside || isConfig) return CERTAIN
  return isTest ? LEAST_OF_TEST_NAME : LEAST_OF_NAME
}

/** Hits by what they are, without those that are far behind the best one. */
function sortFound({ kindOf }: { kindOf: KindOfPath }, hits: readonly FoundFile[]): Found {
  const best = Math.max(...hits.map(({ score }) => score))
  const found: Found = { code: [], tests: [], others: [] }
  for (const { path, score } of hits) {
    const { isTest, isAside, isConfig } = kindOf(path)
    const isOther = isAside || isConfig
    if (baseName(path).startsWith('.') || score < best * (isOther ? LEAST_OF_OTHERS : LEAST_OF_BEST)) continue
    if (isOther) found.others.push(path)
    else if (isTest) found.tests.push(path)
    else found.code.push(path)
  }
  return found
}

/**
 * The files that a task is likely to be about, in groups by how they are found: those that it names by their paths,
 * those whose names are its words, what the search finds for it, entry points, and types. A group that is not certain
 * leaves room for the others.
 */
export function keyFiles(
  deps: { kindOf: KindOfPath },
  { description, shown: { paths }, named, found, manifestEntries }: KeyFilesOf,
): CandidateGroup[] {
  const described = new Set([...metadataFiles(paths), ...guideFiles(paths, [])])
  const others = paths.filter(path => !described.has(path))
  const known = new Set(others)
  const byWords = filesByWords(description, others).filter(match => match.score >= leastScore(deps, match.path))
  const certain = byWords
    .filter(({ path, score, sharedBy }) => score >= CERTAIN && sharedBy <= FEW && isCode(deps, path))
    .map(({ path }) => path)
  const relevant = sortFound(deps, found.filter(({ path }) => known.has(path)).slice(0, MAX_FOUND))
  const [best, second] = [relevant.code.slice(0, 1), relevant.code.slice(1, SURELY_FOUND)]
  const entries = [...manifestEntries.filter(path => known.has(path)), ...entryPoints(others)]
  const types = typeFiles(others, [...named, ...certain, ...best, ...second])
  return [
    // Those that fit whole come first, so that a huge one does not take the room of the others.
    { candidates: wholeOnly(named, BUDGETS.key), maxTokens: BUDGETS.key },
    { candidates: cuttable(named, named.length > 1 ? LARGE : BUDGETS.key), maxTokens: BUDGETS.key },
    { candidates: cuttable(best, LARGE), maxTokens: LARGE },
    { candidates: wholeOnly(certain, MEDIUM), maxTokens: LARGE },
    { candidates: wholeOnly(second, MEDIUM), maxTokens: LARGE },
    { candidates: cuttable(certain, MEDIUM), maxTokens: MEDIUM },
    { candidates: wholeOnly(relevant.tests, MEDIUM), maxTokens: MEDIUM },
    {
      candidates: wholeOnly(
        byWords.map(({ path }) => path),
        SMALL,
      ),
      maxTokens: MEDIUM,
    },
    {
      candidates: cuttable(entries.filter(path => !isTestFile(path)).slice(0, MAX_ENTRY_POINTS), SMALL),
      maxTokens: MEDIUM,
    },
    { candidates: wholeOnly(types, SMALL), maxTokens: MEDIUM },
    { candidates: wholeOnly(relevant.code, MEDIUM), maxTokens: BUDGETS.key },
    { candidates: wholeOnly(relevant.others, SMALL), maxTokens: SMALL },
  ]
}
