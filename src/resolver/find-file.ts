import type { Frame, MatchKind } from '../core/frame.ts'
import { baseName, type FileIndex, type IndexedFile } from './file-index.ts'
import type { FramePath } from './frame-path.ts'
import { functionName, hasWord, type SourceOf } from './code-line.ts'

export interface Found {
  file: IndexedFile | null
  match: MatchKind
  why: string
  candidates: string[]
}

/** Files to look names up in and what their texts say; `lineCount` should remember, it is asked for often. */
export interface FileFacts {
  index: FileIndex
  sourceOf: SourceOf
  lineCount: (repository: string, path: string) => number
}

/** A stack root and the source root that frames showed it to be: what lies below the one is below the other. */
export interface RootPair {
  stackRoot: string
  sourceRoot: string
  repository: string
}

const SOURCE_ROOT = /^(?:(?:packages|apps|libs|modules|services|plugins|crates)\/[^/]+\/)?(?:src|lib|app|source|sources|python|code|server|backend|Lib)?\/?$/
const VENDORED = /(?:^|\/)(?:vendor|_?vendored?|_vendor|third_party|third-party|externals?|node_modules|site-packages)(?:\/|$)/
const MAX_MANIFEST_CHARS = 100_000
const MAX_CANDIDATES = 5
const MAX_COMPARED = 10_000
const MAX_READ = 20 // files whose text may settle a tie

interface Candidate {
  file: IndexedFile
  /** Segments that agree, counted from the end. */
  common: number
  stackRoot: string
  sourceRoot: string
}

/** Finds the file of one frame by its name: exact path, then longest suffix, then base name. */
export function findFile (frame: Frame, path: FramePath, facts: FileFacts, roots: readonly RootPair[]): Found {
  if (path.path === '') return notFound(path.origin === 'runtime' ? 'the frame is in the runtime' : 'the frame names no file', [])
  const candidates = candidatesFor(path, facts.index)
  if (!path.absolute) {
    const [exact] = sorted(candidates.filter(({ file }) => file.path === path.path), frame, facts)
    if (exact !== undefined) return { file: exact.file, match: 'exact', why: `the path is ${exact.file.path} in the index`, candidates: [] }
  }
  if (path.origin === 'runtime') return notFound('the frame is in the runtime', [])
  if (path.inLibrary !== null) return findLibraryFile(path, candidates, { sourceOf: facts.sourceOf, order: tied => sorted(tied, frame, facts) })
  if (candidates.length === 0) return notFound(`no file of the index is named ${baseName(path.path)}`, [])
  return byRoot(path, candidates, roots) ?? bySuffix(frame, candidates, facts)
}

function candidatesFor (path: FramePath, index: FileIndex): Candidate[] {
  const segments = path.path.split('/')
  return index.named(segments.at(-1) ?? '').slice(0, MAX_COMPARED).map(({ file, segments: own }) => {
    let common = 1
    while (common < own.length && common < segments.length && own[own.length - 1 - common] === segments[segments.length - 1 - common]) common++
    return { file, common, stackRoot: folder(segments, common, path.absolute ? '/' : ''), sourceRoot: folder(own, common, '') }
  })
}

function folder (segments: readonly string[], common: number, start: string): string {
  const kept = segments.slice(0, segments.length - common)
  return kept.length === 0 ? start : `${start}${kept.join('/')}/`
}

/** A library's file is the project's only where the project is that library, or tracks the folder itself. */
function findLibraryFile (path: FramePath, candidates: Candidate[], { sourceOf, order }: { sourceOf: SourceOf, order: (candidates: Candidate[]) => Candidate[] }): Found {
  const inside = path.inLibrary ?? ''
  const { length } = inside.split('/')
  const own = candidates.filter(({ common, sourceRoot }) => common > length || (common === length && (path.package !== null ? !VENDORED.test(sourceRoot) : SOURCE_ROOT.test(sourceRoot))))
  const named = candidates.filter(({ file, common, sourceRoot }) => path.package !== null && sourceRoot === '' &&
    common === length - path.package.split('/').length && isPackage(file.repository, path.package, sourceOf))
  const [best] = order(own.length > 0 ? own : named)
  if (best === undefined) return notFound(`the frame is in a library (${path.package ?? 'standard library'}), not in the project`, [])
  const found: MatchKind = own.length > 0 ? 'suffix' : 'package'
  return { file: best.file, match: found, why: `the library ${path.package ?? inside} is this repository: ${rootsOf(best)}`, candidates: others(best, own.length > 0 ? own : named) }
}

/** Whether a repository is a package: by its own name, or by the one that its manifest gives. */
function isPackage (repository: string, packageName: string, sourceOf: SourceOf): boolean {
  const bare = packageName.slice(packageName.lastIndexOf('/') + 1)
  return repository.toLowerCase() === bare.toLowerCase() || manifestName(sourceOf(repository, 'package.json')) === packageName
}

function manifestName (manifest: string | null): string | null {
  try {
    if (manifest === null || manifest.length > MAX_MANIFEST_CHARS) return null
    const parsed: unknown = JSON.parse(manifest)
    return typeof parsed === 'object' && parsed !== null && 'name' in parsed && typeof parsed.name === 'string' ? parsed.name : null
  } catch {
    return null // a manifest that is no JSON names no package
  }
}

/** Roots learned from frames that match well settle the names that many files bear. */
function byRoot (path: FramePath, candidates: Candidate[], roots: readonly RootPair[]): Found | null {
  const full = `${path.absolute ? '/' : ''}${path.path}`
  for (const { stackRoot, sourceRoot, repository } of roots) {
    if (!full.startsWith(stackRoot)) continue
    const wanted = sourceRoot + full.slice(stackRoot.length)
    const best = candidates.find(({ file }) => file.path === wanted && file.repository === repository)
    if (best !== undefined) return { file: best.file, match: 'suffix', why: `stack root ${stackRoot} is source root ${sourceRoot || './'}, as other frames show`, candidates: others(best, candidates) }
  }
  return null
}

function bySuffix (frame: Frame, candidates: Candidate[], facts: FileFacts): Found {
  const [best] = sorted(candidates, frame, facts)
  if (best === undefined) return notFound('no file of the index has this name', [])
  const rooted = SOURCE_ROOT.test(best.sourceRoot)
  const name = best.file.path
  if (!rooted && best.stackRoot !== '' && !isPlausible(frame, best.file, facts)) {
    return notFound(`the nearest name is ${name}, but neither the function nor the printed code is in it`, candidates.map(({ file }) => file.path))
  }
  const match = best.common > 1 || rooted ? 'suffix' : 'basename'
  return { file: best.file, match, why: match === 'suffix' ? rootsOf(best) : `only the base name ${baseName(name)} agrees`, candidates: others(best, candidates) }
}

const rootsOf = ({ stackRoot, sourceRoot }: Candidate): string => `stack root ${stackRoot || './'} is source root ${sourceRoot || './'}`

/** The candidates that agree longest, best first: evidence in the text, then the likelier root, then shallower, then alphabetical. */
function sorted (candidates: Candidate[], frame: Frame, facts: FileFacts): Candidate[] {
  const longest = candidates.reduce((most, { common }) => Math.max(most, common), 0)
  const named = candidates.filter(({ common }) => common === longest)
  // They come shallow first; the sort is stable, so only the kind of root is left to compare.
  const tied = [0, 1, 2].flatMap(rank => named.filter(candidate => rootRank(candidate) === rank)).slice(0, MAX_READ)
  if (tied.length < 2) return tied
  const doubts = new Map(tied.map(candidate => [candidate, doubtsAbout(candidate.file, frame, facts)]))
  return tied.sort((a, b) => (doubts.get(a) ?? 0) - (doubts.get(b) ?? 0))
}

const rootRank = ({ sourceRoot }: Candidate): number => sourceRoot === '' ? 0 : SOURCE_ROOT.test(sourceRoot) ? 1 : 2

/** What speaks against a file being the frame's: the line does not exist, the function does not occur. */
function doubtsAbout ({ repository, path }: IndexedFile, frame: Frame, { sourceOf, lineCount }: FileFacts): number {
  const text = sourceOf(repository, path)
  if (text === null) return 2
  const name = functionName(frame.function)
  return (frame.line !== null && frame.line > lineCount(repository, path) ? 2 : 0) + (name !== null && !hasWord(text, name) ? 1 : 0)
}

/** Whether a file that agrees in little more than its name may be the frame's: something of the frame must be in it. */
function isPlausible (frame: Frame, { repository, path }: IndexedFile, { sourceOf, lineCount }: FileFacts): boolean {
  const text = sourceOf(repository, path)
  if (text === null) return false
  const name = functionName(frame.function)
  if (name !== null && hasWord(text, name)) return true
  if (frame.sourceText !== null && text.includes(frame.sourceText)) return true
  return name === null && frame.sourceText === null && frame.line !== null && frame.line <= lineCount(repository, path)
}

const others = (best: Candidate, candidates: Candidate[]): string[] =>
  nearest(candidates.filter(({ file }) => file !== best.file && best.common === 1).map(({ file }) => file.path))

const nearest = (paths: string[]): string[] => [...new Set(paths)].sort().slice(0, MAX_CANDIDATES)

const notFound = (why: string, candidates: string[]): Found => ({ file: null, match: 'none', why, candidates: nearest(candidates) })
