import type { Frame, MappedFrame } from '../../core/frame.ts'
import type { SourceOf } from '../code/file-texts.ts'
import { fileIndexOf, type IndexedFile } from '../code/file-index.ts'
import { rememberTexts } from '../code/file-texts.ts'
import { mapFrame, unmapped } from './map-frame.ts'
import { NO_OUTPUTS, type Outputs } from './outputs.ts'
import { findOutputAt } from './find-output.ts'
import { findAlone } from './find-alone.ts'
import { findJointly } from './find-jointly.ts'
import { placesOf } from './places.ts'
import type { FileMatch } from './file-match.ts'
import type { Place, Project } from './project.ts'
import { pairKey, type Candidate } from './candidates.ts'
import { packagesOf } from './packages.ts'
import { findByMapping, type Override, type PathMapping } from './path-mappings.ts'
import type { ScoredCandidate } from './score-candidates.ts'

/** Comparisons of a frame with a file's text, for all frames together; about 0.1 ms each in large files. */
const MAX_COMPARISONS = 6000
const MIN_READ = 3

/** What besides the files decides how frames are mapped. */
export interface MapOptions {
  /** The operator's mappings of paths; they precede every rule. */
  pathMappings?: readonly PathMapping[]
  /** Files whose frames are mapped but do not count as the project's own code. */
  isExcluded?: (path: string) => boolean
  /** What the repository tracks beside the index's files. */
  outputs?: Outputs
}

/** The places that speak for each pair of roots. */
type Votes = ReadonlyMap<string, ReadonlySet<Place>>

const speaksFor = ({ candidate, evidence, breaksPackage }: ScoredCandidate): boolean =>
  !evidence.isContradicted &&
  !evidence.isDoubtful &&
  !breaksPackage &&
  (candidate.common > 1
    ? evidence.isConfirmed || (evidence.line && evidence.function !== false)
    : evidence.isConfirmed && evidence.line)

/**
 * The places that speak for each pair of roots: by more than a name, or by a name and something of the frame in the
 * text.
 */
function countVotes(places: readonly Place[]): Votes {
  const votes = new Map<string, Set<Place>>()
  for (const place of places) {
    for (const scored of place.scored) {
      if (!speaksFor(scored)) continue
      const key = pairKey(scored.candidate.roots)
      const voters = votes.get(key) ?? new Set<Place>()
      votes.set(key, voters.add(place))
    }
  }
  return votes
}

function supportFor(candidate: Candidate, place: Place, votes: Votes): number {
  const voters = votes.get(pairKey(candidate.roots))
  if (voters === undefined) return 0
  return voters.has(place) ? voters.size - 1 : voters.size
}

/** What an operator's mapping says about a place; nothing for what names no file. */
function overrideOf(place: Place, project: Project, mappings: readonly PathMapping[]): Override {
  if (place.path.path === '') return { found: null, note: '' }
  return findByMapping(place.path, mappings, project.index, path => findOutputAt(path, place, project)?.file ?? null)
}

/** Finds the file of each place: first those that are certain by themselves, then the others with the help of these. */
function findAll(
  places: ReadonlySet<Place>,
  project: Project,
  mappings: readonly PathMapping[],
): Map<Place, FileMatch> {
  const found = new Map<Place, FileMatch>()
  const notes = new Map<Place, string>()
  const open: Place[] = []
  for (const place of places) {
    const override = overrideOf(place, project, mappings)
    notes.set(place, override.note)
    const alone = override.found ?? findAlone(place, project)
    if (alone === null) open.push(place)
    else found.set(place, alone)
  }
  const votes = countVotes(open)
  const isAmongOwn = [...found.values()].some(({ file }) => file !== null)
  const isInstalled = [...found.values()].some(one => one.isInstalled === true)
  for (const place of open) {
    const supportOf = (candidate: Candidate): number => supportFor(candidate, place, votes)
    found.set(place, findJointly(place, { supportOf, isAmongOwn, isInstalled }, project))
  }
  return new Map([...found].map(([place, match]) => [place, { ...match, why: match.why + (notes.get(place) ?? '') }]))
}

/** Gives the reason for a file once: other frames of the same file refer to the first one. */
class FileReasons {
  readonly #firsts = new Map<FileMatch, number>()
  readonly #folders = new Map<string, string>()

  of(match: FileMatch, frame: number): string {
    const first = this.#firsts.get(match)
    if (first !== undefined) return `the same file as in frame ${first}`
    this.#firsts.set(match, frame)
    if (match.folder === undefined) return match.why
    const known = this.#folders.get(match.folder.key)
    if (known === undefined) this.#folders.set(match.folder.key, match.file?.path ?? '')
    const folder = known === undefined ? match.folder.why : `below the same folder as ${known}`
    return match.why === '' ? folder : `${folder}; ${match.why}`
  }
}

/**
 * Maps the frames of a trace to the files of a project, all of them together: most frames agree on which folder of the
 * trace is which folder of the repository. Names are looked up in the list; nothing is opened by a path from the trace.
 *
 * @param files - Every file of the published generation.
 * @param sourceOf - Reads their texts, to settle doubts and to find the line.
 */
export function mapFrames(
  frames: readonly Frame[],
  files: readonly IndexedFile[],
  sourceOf: SourceOf,
  { pathMappings = [], isExcluded = () => false, outputs = NO_OUTPUTS }: MapOptions = {},
): MappedFrame[] {
  const index = fileIndexOf(files)
  const project: Project = {
    index,
    texts: rememberTexts(sourceOf),
    packages: packagesOf(index, sourceOf),
    outputs,
    maps: new Map(),
    maxRead: Math.max(MIN_READ, Math.floor(MAX_COMPARISONS / (frames.length + 1))),
  }
  const places = placesOf(frames, project)
  const found = findAll(new Set(places.values()), project, pathMappings)
  const reasons = new FileReasons()
  return frames.map(frame => {
    const place = places.get(frame)
    const match = place === undefined ? undefined : found.get(place)
    if (match === undefined) return unmapped(frame, 'the runtime printed no file')
    const { frame: mapped, note } = mapFrame(frame, match, project)
    if (mapped.path === null) return mapped
    const why = reasons.of(match, frame.index) + note
    return isExcluded(mapped.path)
      ? { ...mapped, inProject: false, why: `${why}; in_app_exclude leaves it out` }
      : { ...mapped, why }
  })
}
