import type { ResolutionAnswer } from '../contract/resolution.ts'
import type { PinnedCommit } from '../core/code-tools.ts'
import { FaultlineError } from '../core/errors.ts'
import type { Services } from '../services/services.ts'
import { trusted } from './html.ts'
import type { CodeShown } from './parts/code.ts'

type Frame = ResolutionAnswer['frames'][number]
type Source = ResolutionAnswer['sources'][number]

/** A place whose code is to be shown. */
interface Place {
  of: Frame | Source
  repository: string
  path: string
  startLine: number
  endLine: number
  marked: readonly number[]
}

/** Lines that are shown around the line of a frame, on each side. */
const AROUND = 5
/** A source that is longer is cut: whoever wants more opens the file. */
const MAX_LINES = 120
/** Sources that are shown with their code; the others by name. */
const MAX_SOURCES = 8
const MAX_FRAMES = 60
/** Of a line: code that nobody wrote has lines of megabytes. */
const MAX_LINE_CHARS = 500

/** A line as a page has room for it. */
export const lineShown = (line: string): string =>
  line.length <= MAX_LINE_CHARS ? line : `${line.slice(0, MAX_LINE_CHARS)} …`

/** The commit of each repository, and the one that its files are read at. */
export type CommitsRead = ReadonlyMap<string, PinnedCommit>

/** The code of frames and sources; what is not there cannot be read, or is too much for a page. */
export type Excerpts = ReadonlyMap<Frame | Source, CodeShown>

const fileKey = ({ repository, path }: { repository: string; path: string }): string => `${repository}\n${path}`

function placeOfFrame(frame: Frame): Place[] {
  const { repository, path, code_line: line, in_project: isOwn } = frame
  if (!isOwn || repository === null || path === null || line === null) return []
  return [{ of: frame, repository, path, startLine: line - AROUND, endLine: line + AROUND, marked: [line] }]
}

const placeOfSource = (source: Source): Place => ({
  of: source,
  repository: source.repository,
  path: source.path,
  startLine: source.start_line,
  endLine: source.end_line,
  marked: source.highlighted_lines,
})

/** Reads each file once; those that a clone does not hold are left out. */
async function readFiles(
  places: readonly Place[],
  commits: CommitsRead,
  { readCommitted }: Pick<Services, 'readCommitted'>,
): Promise<Map<string, string[]>> {
  const files = new Map(places.map(({ repository, path }) => [fileKey({ repository, path }), { repository, path }]))
  const read = await Promise.all(
    [...files].map(async ([key, file]): Promise<Array<[string, string[]]>> => {
      const commit = commits.get(file.repository)?.readAt
      const bytes = commit === undefined ? null : await readCommitted({ ...file, commit })
      if (bytes === null) return []
      const text = bytes.toString('utf8').replace(/\r?\n$/, '') // which ends the last line, and begins no other
      return [[key, text.split(/\r?\n/).map(lineShown)]]
    }),
  )
  return new Map(read.flat())
}

/** What a request has to say so that it reads the code that a resolution is about. */
export const refOf = ({ commit, uncommitted_files: changed = 0 }: ResolutionAnswer): { ref?: string } =>
  changed > 0 ? {} : { ref: commit } // what is not committed is read only where no commit is named

/**
 * The commits that the code of a resolution is read at, by repository: it names that of the first alone. None where
 * they are gone.
 */
export async function commitsRead(
  resolution: ResolutionAnswer,
  { codeTools }: Pick<Services, 'codeTools'>,
  signal: AbortSignal,
): Promise<CommitsRead> {
  const asked = codeTools.open(resolution.project_name, { ...refOf(resolution), signal })
  const { commits } = await asked.catch((error: unknown) => {
    if (error instanceof FaultlineError) return { commits: [] }
    throw error
  })
  return new Map(commits.map(one => [one.repository, one]))
}

/** The code of a resolution's frames and first sources, as of its commits, coloured where its language is known. */
export async function readExcerpts(
  { frames, sources }: ResolutionAnswer,
  commits: CommitsRead,
  services: Pick<Services, 'readCommitted' | 'highlight'>,
): Promise<Excerpts> {
  const places = [
    ...frames.flatMap(placeOfFrame).slice(-MAX_FRAMES),
    ...sources.slice(0, MAX_SOURCES).map(placeOfSource),
  ]
  const files = await readFiles(places, commits, services)
  const shown = places.flatMap(place => {
    const start = Math.max(1, place.startLine)
    const lines = files.get(fileKey(place))?.slice(start - 1, Math.min(place.endLine, start + MAX_LINES - 1)) ?? []
    return lines.length === 0 ? [] : [{ place, start, lines }]
  })
  const coloured = await services.highlight(
    shown.map(({ place: { path }, lines }) => ({ path, text: lines.join('\n') })),
  )
  return new Map(
    shown.map(({ place: { of, marked }, start, lines }, at) => [
      of,
      { startLine: start, lines: coloured[at]?.map(trusted) ?? lines, marked },
    ]),
  )
}
