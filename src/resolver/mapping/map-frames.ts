import type { Frame, MappedFrame } from '../../core/frame.ts'
import { codePlace, definitionOf, lineOf, type SourceOf } from '../code/code-line.ts'
import { mayBeCompiled } from './compiled-output.ts'
import { fileIndexOf, type IndexedFile } from '../code/file-index.ts'
import { rememberTexts } from '../code/file-texts.ts'
import { functionParts } from '../code/function-name.ts'
import { findBySourceMap } from './map-source.ts'
import { NO_OUTPUTS, type Outputs } from './outputs.ts'
import { findOutputAt } from './find-output.ts'
import { findAlone } from './find-alone.ts'
import { findJointly } from './find-jointly.ts'
import { placesOf } from './places.ts'
import type { FileMatch } from './file-match.ts'
import type { Place, Project } from './project.ts'
import { pairKey, type Candidate } from './candidates.ts'
import { packagesOf } from './packages.ts'
import { findByMapping, type PathMapping } from './path-mappings.ts'
import type { ScoredCandidate } from './score-candidates.ts'

/** Comparisons of a frame with a file's text, of all frames together; about 0.1 ms each in large files. */
const MAX_COMPARISONS = 6000
const MIN_READ = 3
const BUNDLE_LINES = 200

export interface MapOptions {
  /** What the operator says of paths; goes before every rule. */
  pathMappings?: readonly PathMapping[]
  /** Files whose frames are mapped but do not count as the project's own code. */
  isExcluded?: (path: string) => boolean
  /** What the repository tracks beside the index's files. */
  outputs?: Outputs
}

const speaksFor = ({ candidate, evidence, breaksPackage }: ScoredCandidate): boolean =>
  !evidence.isContradicted &&
  !evidence.isDoubtful &&
  !breaksPackage &&
  (candidate.common > 1
    ? evidence.isConfirmed || (evidence.line && evidence.function !== false)
    : evidence.isConfirmed && evidence.line)

/**
 * For each pair of roots the places that speak for it: by more than a name, or by a name and something of the frame in
 * the text.
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
  return voters === undefined ? 0 : voters.size - (voters.has(place) ? 1 : 0)
}

function findAll(
  places: ReadonlySet<Place>,
  project: Project,
  mappings: readonly PathMapping[],
): Map<Place, FileMatch> {
  const found = new Map<Place, FileMatch>()
  const notes = new Map<Place, string>()
  const open: Place[] = []
  for (const place of places) {
    const override =
      place.path.path === ''
        ? { found: null, note: '' }
        : findByMapping(place.path, mappings, project.index, path => findOutputAt(path, place, project)?.file ?? null)
    notes.set(place, override.note)
    const alone = override.found ?? findAlone(place, project)
    if (alone === null) open.push(place)
    else found.set(place, alone)
  }
  const votes = countVotes(open)
  const isAmongOwn = [...found.values()].some(({ file }) => file !== null)
  const isInstalled = [...found.values()].some(one => one.isInstalled === true)
  for (const place of open) {
    found.set(
      place,
      findJointly(
        place,
        { supportOf: candidate => supportFor(candidate, place, votes), isAmongOwn, isInstalled },
        project,
      ),
    )
  }
  return new Map([...found].map(([place, one]) => [place, { ...one, why: one.why + (notes.get(place) ?? '') }]))
}

function unmapped(frame: Frame, why: string, candidates: string[] = []): MappedFrame {
  return { ...frame, inProject: false, repository: null, path: null, codeLine: null, match: 'none', why, candidates }
}

/**
 * A line that is far beyond the end of a script, in a function that is not in it: packages publish bundles under the
 * names of their sources.
 */
function isOfBundle({ line }: Frame, { repository, path }: IndexedFile, { texts }: Project): boolean {
  return line !== null && mayBeCompiled(path) && line > 2 * texts.lineCount(repository, path) + BUNDLE_LINES
}

/** The file was chosen by what some frame of it names. */
function symbolNote(frame: Frame, line: number | null): string {
  if (frame.file === null) return line === null ? '' : `; the function begins at line ${line}`
  const name = functionParts(frame.function)?.name
  if (line !== null) return `; ${name ?? 'the function'} begins at line ${line}`
  return name === undefined
    ? '; other frames of the file name its functions, this one none'
    : `; it does not define ${name}, but what another frame of the file names`
}

function lineNote(
  frame: Frame,
  { line, by, printed }: { line: number | null; by: string | null; printed: number | null },
  count: number,
): string {
  if (frame.line === null) return line === null ? '' : `; the function begins at line ${line}`
  if (by === 'line') return line === frame.line ? '' : `; counted without U+2028 and U+2029 it is line ${line}`
  if (by === 'code') return `; the printed code is at line ${line}`
  const gone =
    printed !== null && printed > count
      ? `; the file has ${count} lines`
      : frame.sourceText !== null
        ? '; the printed code is not at this line'
        : '; the function is not at this line'
  return line === null ? gone : `${gone}, the function begins at line ${line}`
}

function codeOf(
  frame: Frame,
  { match }: FileMatch,
  { repository, path }: IndexedFile,
  { texts }: Project,
): { line: number | null; note: string } {
  const lines = texts.lines(repository, path)
  if (match === 'symbol') {
    const line = definitionOf(frame.function, frame.file === null ? null : frame.line, lines)
    return { line, note: symbolNote(frame, line) }
  }
  const printed = lineOf(frame.line, path, texts.text(repository, path) ?? '')
  const { line, by } = codePlace({ ...frame, line: printed }, lines)
  return { line, note: lineNote(frame, { line, by, printed }, lines.length) }
}

function mapped(frame: Frame, found: FileMatch, project: Project, isExcluded: (path: string) => boolean): MappedFrame {
  const { file, match, why, candidates } = found
  if (file === null) return unmapped(frame, why, candidates)
  const source = findBySourceMap(file, frame, project)
  if (source === null && found.isUnindexed === true) {
    return unmapped(frame, `${why}, whose source map names no source of this project here`)
  }
  const place =
    source === null
      ? { file, match, ...codeOf(frame, found, file, project) }
      : {
          file: source.file,
          match: 'source_map' as const,
          line: source.codeLine,
          note: `; ${source.map} maps it to line ${source.line}${source.codeLine === source.line ? '' : source.codeLine === null ? ', whose code has changed since' : `, whose code is at line ${source.codeLine} now`}`,
        }
  if (place.line === null && match !== 'override' && isOfBundle(frame, file, project)) {
    return unmapped(
      frame,
      `${why}, but ${file.path} has ${project.texts.lineCount(file.repository, file.path)} lines: what ran is a bundle of that name`,
      candidates,
    )
  }
  const { repository, path } = place.file
  const excluded = isExcluded(path)
  return {
    ...frame,
    inProject: !excluded,
    repository,
    path,
    codeLine: place.line,
    match: place.match,
    why: why + place.note + (excluded ? '; in_app_exclude leaves it out' : ''),
    candidates,
  }
}

/**
 * Compares the frames of a trace with the files of a project, all of them together: what lies where is what most of
 * them agree in. Names are looked up in the list; nothing is opened by a path from the trace.
 *
 * @param files - Every file of the published generation.
 * @param sourceOf - Their text, used to settle doubts and to find the line.
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
  return frames.map(frame => {
    const place = places.get(frame)
    const file = place === undefined ? undefined : found.get(place)
    return file === undefined
      ? unmapped(frame, 'the runtime printed no file')
      : mapped(frame, file, project, isExcluded)
  })
}

type Votes = ReadonlyMap<string, ReadonlySet<Place>>
