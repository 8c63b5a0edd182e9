import { baseName } from '../../core/path-names.ts'
import { pairKey, type Candidate } from './candidates.ts'
import { noMatch, rivalsOf, type FileMatch } from './file-match.ts'
import { findCompiled, findCopied } from './find-compiled.ts'
import { findOutput } from './find-output.ts'
import type { Place, Project } from './project.ts'
import type { ScoredCandidate } from './score-candidates.ts'

const SUPPORT_SCORE = 2
const MAX_SUPPORT_SCORE = 8
/** Segments of a compiled file's path that must agree where no folder tells that it is compiled. */
const MIN_COPIED = 2
const MIN_COPIED_INSTALLED = 3
/** Support from this many files puts a folder beyond doubt, even where the code has moved. */
const SURE_SUPPORT = 3

/** What the other frames of a trace say about one. */
interface TraceFacts {
  /** The number of other files of the trace whose candidates share a candidate's pair of roots. */
  supportOf: (candidate: Candidate) => number
  /** Some other frames are in the project. */
  isAmongOwn: boolean
  /** Some other frames are in the project as an installed package, so this one may be in the program that uses it. */
  isInstalled: boolean
}

/** A candidate with what the rest of the trace adds to its score. */
interface SupportedCandidate {
  scored: ScoredCandidate
  support: number
  score: number
}

/**
 * Whether the folder bears the repository's name and the file has the very same path below it: another version of the
 * project, if the text disagrees.
 */
const isCheckout = ({ roots: { stackRoot, sourceRoot, repository } }: Candidate): boolean =>
  sourceRoot === '' && stackRoot.toLowerCase().endsWith(`/${repository.toLowerCase()}/`)

/**
 * For a project that runs as a package: a file without support is more likely the program's, unless its text agrees.
 */
function isOfProgram({ path }: Place, { scored: { candidate, evidence }, support }: SupportedCandidate): boolean {
  if (support > 0 || !path.absolute || candidate.common >= 3) return false
  return candidate.common === 1 ? !evidence.isPinned : !evidence.isConfirmed
}

/** Whether the agreeing folders, or the text behind them, suffice. */
function isPathEnough({ candidate, evidence, isSourceRoot }: ScoredCandidate): boolean {
  const isTelling = isSourceRoot || candidate.common > 2 || candidate.roots.stackRoot === ''
  return isTelling || evidence.isConfirmed || evidence.line
}

/** Whether the bare name together with the text suffices. */
function isNameEnough({ path }: Place, { candidate, evidence, isSourceRoot }: ScoredCandidate): boolean {
  if (isSourceRoot || (candidate.roots.stackRoot === '' && !path.absolute)) {
    return (evidence.line && evidence.function !== false) || evidence.code === true
  }
  return evidence.isConfirmed && evidence.line
}

/** Whether the file is from a checkout of another version; not where the project runs as a package. */
function isOfCheckout({ candidate, evidence, breaksPackage }: ScoredCandidate): boolean {
  return isCheckout(candidate) && !breaksPackage && (candidate.common > 1 || !evidence.isContradicted)
}

/** Whether the printed code, or its package, speaks against a file that little else speaks for. */
function isRefuted({
  scored: { candidate, evidence, isSourceRoot, breaksPackage },
  support,
}: SupportedCandidate): boolean {
  if (evidence.isDoubtful && support < 2 && (candidate.common === 1 || !isSourceRoot)) return true
  return breaksPackage && evidence.code !== true && support === 0
}

function isAccepted(place: Place, supported: SupportedCandidate, isInstalled: boolean): boolean {
  const { scored, support } = supported
  const { candidate, evidence } = scored
  const hasFolder = candidate.common > 1
  if (!isInstalled && isOfCheckout(scored)) return true
  if (evidence.isContradicted) return support >= SURE_SUPPORT
  if (isInstalled && isOfProgram(place, supported)) return false
  if (isRefuted(supported)) return false
  if (support > 0 && (hasFolder || evidence.isConfirmed || evidence.line)) return true
  return hasFolder ? isPathEnough(scored) : isNameEnough(place, scored)
}

const USUAL_NAMES = [
  ...['index', 'main', 'app', 'test', 'tests', 'util', 'utils', 'helper', 'helpers', 'setup', 'conf', 'config'],
  ...['conftest', 'server', 'client', 'run', 'runner', 'manage', 'cli', 'types', 'base', 'common', 'core', 'model'],
  ...['models', 'view', 'views', 'urls', 'mod', 'lib', 'init', '__init__', '__main__', 'build', 'script', 'demo'],
  ...['example', 'program', 'settings', 'constants', 'errors', 'version'],
]
const USUAL_NAME = new RegExp(String.raw`^(?:${USUAL_NAMES.join('|')})\.`, 'i')

/**
 * Whether a name without a folder belongs to one file alone, in a trace through the project: its text may have changed.
 */
const isOnlyOne = ({ path, scored }: Place): boolean =>
  scored.length === 1 && !path.absolute && !path.path.includes('/') && !USUAL_NAME.test(path.path)

/** Which folder of the repository a folder of the trace is, and how many other files agree. */
function folderReason({ candidate: { roots } }: ScoredCandidate, support: number): string {
  const { stackRoot, sourceRoot } = roots
  const there = sourceRoot === '' ? 'the top of the repository' : `${sourceRoot} in the repository`
  const folder = stackRoot === '' ? `paths of the trace begin in ${there}` : `${stackRoot} is ${there}`
  if (support === 0) return folder
  return support === 1 ? `${folder}, as for 1 other file` : `${folder}, as for ${support} other files`
}

/** Which part of the frames' text is in the file; empty where they printed nothing that is. */
function textReason({ evidence }: ScoredCandidate): string {
  if (evidence.code === true) {
    return evidence.function === true ? 'the printed code and the function are in it' : 'the printed code is in it'
  }
  return evidence.function === true ? 'the function is in it' : ''
}

function matchOf(place: Place, accepted: SupportedCandidate, all: readonly SupportedCandidate[]): FileMatch {
  const { scored, support } = accepted
  const { candidate, isSourceRoot } = scored
  const isSuffix = candidate.common > 1 || support > 0 || isSourceRoot
  const rival = all.find(one => one.scored.candidate.roots.sourceRoot !== candidate.roots.sourceRoot)
  const reasons = [
    isSuffix ? '' : `only the base name ${baseName(place.path.path)} agrees`,
    textReason(scored),
    rival === undefined ? '' : `more speaks for it than for ${rival.scored.candidate.file.path}`,
  ]
  return {
    file: candidate.file,
    match: isSuffix ? 'suffix' : 'basename',
    why: reasons.filter(reason => reason !== '').join('; '),
    ...(isSuffix ? { folder: { key: pairKey(candidate.roots), why: folderReason(scored, support) } } : {}),
    candidates: rivalsOf(
      candidate,
      all.map(one => one.scored),
    ),
  }
}

/** The file that a path means, judged by the whole trace. */
export function findJointly(place: Place, facts: TraceFacts, project: Project): FileMatch {
  const all = place.scored
    .map((scored): SupportedCandidate => {
      const support = facts.supportOf(scored.candidate)
      return { scored, support, score: scored.score + Math.min(MAX_SUPPORT_SCORE, SUPPORT_SCORE * support) }
    })
    .sort((a, b) => b.score - a.score)
  const [best] = all
  const isFound =
    best !== undefined && (isAccepted(place, best, facts.isInstalled) || (facts.isAmongOwn && isOnlyOne(place)))
  const output = findOutput(place, project, (isFound ? best.scored.candidate.common : 0) + 1)
  if (output !== null) return output
  if (isFound) return matchOf(place, best, all)
  const least = facts.isInstalled ? MIN_COPIED_INSTALLED : MIN_COPIED
  const compiled = findCompiled(place, project, '') ?? findCopied(place, project, least)
  if (compiled !== null) return compiled
  if (best === undefined) return noMatch(`no file of the index is named ${baseName(place.path.path)}`)
  return noMatch(
    `the nearest name is ${best.scored.candidate.file.path}, but ${best.scored.doubt}`,
    all.map(({ scored }) => scored.candidate.file.path),
  )
}
