import type { Frame } from '../../core/frame.ts'
import { functionParts } from '../code/function-name.ts'
import { declaredPackage, phpNamespace } from './code-packages.ts'
import { evidenceIn, isConfirmed, isContradicted, isDoubtful } from './evidence.ts'
import type { FileIndex } from '../code/file-index.ts'
import type { FileTexts } from '../code/file-texts.ts'
import type { Candidate } from './candidates.ts'
import { isSourceRoot, isVendored, likelihoodOf } from '../code/source-roots.ts'

/** What the frames of one place find in a file, taken together: null where they printed nothing to compare. */
export interface JointEvidence {
  /** A printed line exists in the file; also where none was printed. */
  line: boolean
  /** Printed code is in the file. */
  code: boolean | null
  /** A printed function is defined or named in the file. */
  function: boolean | null
  isConfirmed: boolean
  /** By more than a name that occurs somewhere in the file: by its code, or by the function that contains the line. */
  isPinned: boolean
  isDoubtful: boolean
  isContradicted: boolean
  score: number
}

/** A candidate with its score and what its text says. */
export interface ScoredCandidate {
  candidate: Candidate
  evidence: JointEvidence
  /** By path and text alone; what the other frames show is added later. */
  score: number
  isSourceRoot: boolean
  /**
   * Whether the code's own package contradicts the file: a module of a Python package has the package's name in its
   * path, and PHP prints the namespace that the file declares.
   */
  breaksPackage: boolean
  /** What speaks against it, for a person. */
  doubt: string
}

interface Facts {
  index: FileIndex
  texts: FileTexts
  /** How many files may be read for one place: fewer where a trace has many places. */
  maxRead?: number
}

const SEGMENT_SCORE = 4
const PACKAGE_SCORE = 6
const MAX_FRAMES = 6
const MAX_READ = 20 // files whose text is compared for one place; the rest is left out

function distinct(frames: readonly Frame[]): Frame[] {
  return [...new Map(frames.map(frame => [`${frame.line}\n${frame.function}\n${frame.sourceText}`, frame])).values()]
}

function evidenceOf({ file }: Candidate, frames: readonly Frame[], texts: FileTexts): JointEvidence {
  const all = frames.map(frame => evidenceIn(file, frame, texts))
  const any = <T>(values: Array<T | null>, isGood: (value: T) => boolean): boolean | null => {
    const known = values.filter(value => value !== null)
    return known.length === 0 ? null : known.some(isGood)
  }
  return {
    line:
      any(
        all.map(({ line }) => line),
        line => line === 'exists',
      ) ?? true,
    code: any(
      all.map(({ code }) => code),
      code => code !== 'absent',
    ),
    function: any(
      all.map(one => one.function),
      name => name !== 'absent',
    ),
    isConfirmed: all.some(isConfirmed),
    isPinned: all.some(({ code, function: name }) => code === 'here' || code === 'elsewhere' || name === 'around'),
    isDoubtful: all.some(isDoubtful) && !all.some(isConfirmed),
    isContradicted: all.some(isContradicted) && !all.some(isConfirmed),
    score: all.length === 0 ? 0 : all.reduce((sum, { score }) => sum + score, 0) / all.length,
  }
}

function breaksPackage({ file, roots: { stackRoot, sourceRoot, repository } }: Candidate, index: FileIndex): boolean {
  return (
    file.path.endsWith('.py') &&
    stackRoot !== '' &&
    sourceRoot !== '' &&
    index.at(`${sourceRoot}__init__.py`, repository) !== null
  )
}

function breaksNamespace({ file }: Candidate, frames: readonly Frame[], texts: FileTexts): boolean {
  const printed = file.path.endsWith('.php') ? frames.flatMap(frame => phpNamespace(frame) ?? []) : []
  if (printed.length === 0) return false
  const declared = declaredPackage(texts.text(file.repository, file.path) ?? '')
  return declared !== null && !printed.includes(declared)
}

function doubtOf({ line, code, function: name }: JointEvidence, isOdd: boolean): string {
  if (code === false || name === false) {
    const missing = name === false ? 'function' : 'line'
    return `neither the ${missing} nor the printed code is in it`
  }
  if (!line) return 'it has fewer lines'
  return isOdd ? 'it is in another package' : 'little more than the name agrees'
}

/**
 * Of many files of one name, of whose folders the trace says nothing, those that name the frame's function: `index.js`
 * is a hundred files. All of them where none does, where folders tell, and where a trace has so many places that time
 * is short.
 */
function namingFunction(
  candidates: readonly Candidate[],
  frames: readonly Frame[],
  { texts, maxRead = MAX_READ }: Facts,
): readonly Candidate[] {
  const names = frames.flatMap(frame => functionParts(frame.function)?.name ?? [])
  if (names.length === 0 || maxRead < MAX_READ || candidates.some(({ common }) => common > 1)) return candidates
  const naming = candidates.filter(({ file }) => {
    const text = texts.text(file.repository, file.path) ?? ''
    return names.some(name => text.includes(name))
  })
  return naming.length === 0 ? candidates : naming
}

/** Scores the files that a place may mean, best first; ties keep the given order. */
export function scoreCandidates(
  candidates: readonly Candidate[],
  { frames }: { frames: readonly Frame[] },
  facts: Facts,
): ScoredCandidate[] {
  const most = Math.min(MAX_READ, facts.maxRead ?? MAX_READ)
  const named = candidates.length > most ? namingFunction(candidates, frames, facts) : candidates
  const likely =
    named.length <= most
      ? named
      : named
          .toSorted(
            (a, b) => b.common - a.common || likelihoodOf(b.roots.sourceRoot) - likelihoodOf(a.roots.sourceRoot),
          )
          .slice(0, most)
  const telling = distinct(frames).slice(-MAX_FRAMES)
  return likely
    .map(candidate => {
      const evidence = evidenceOf(candidate, telling, facts.texts)
      const isOdd = breaksPackage(candidate, facts.index) || breaksNamespace(candidate, telling, facts.texts)
      const score =
        SEGMENT_SCORE * candidate.common +
        evidence.score +
        likelihoodOf(candidate.roots.sourceRoot) -
        (isOdd ? PACKAGE_SCORE : 0)
      return {
        candidate,
        evidence,
        score,
        isSourceRoot: isSourceRoot(candidate.roots.sourceRoot) && !isVendored(candidate.roots.sourceRoot),
        breaksPackage: isOdd,
        doubt: doubtOf(evidence, isOdd),
      }
    })
    .sort((a, b) => b.score - a.score)
}
