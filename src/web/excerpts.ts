import type { ResolutionAnswer } from '../contract/resolution.ts'
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
const AROUND = 6
/** A source that is longer is cut: whoever wants more opens the file. */
const MAX_LINES = 120
/** Sources that are shown with their code; the others by name. */
const MAX_SOURCES = 8
const MAX_FRAMES = 60

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
  commit: string,
  { readCommitted }: Pick<Services, 'readCommitted'>,
): Promise<Map<string, string[]>> {
  const files = new Map(places.map(({ repository, path }) => [fileKey({ repository, path }), { repository, path }]))
  const read = await Promise.all(
    [...files].map(async ([key, file]): Promise<Array<[string, string[]]>> => {
      const bytes = await readCommitted({ ...file, commit })
      return bytes === null ? [] : [[key, bytes.toString('utf8').split(/\r?\n/)]]
    }),
  )
  return new Map(read.flat())
}

/** The code of a resolution's frames and first sources, as of its commit, coloured where its language is known. */
export async function readExcerpts(
  resolution: ResolutionAnswer,
  services: Pick<Services, 'readCommitted' | 'highlight'>,
): Promise<Excerpts> {
  const { frames, sources, commit } = resolution
  const places = [
    ...frames.flatMap(placeOfFrame).slice(-MAX_FRAMES),
    ...sources.slice(0, MAX_SOURCES).map(placeOfSource),
  ]
  const files = await readFiles(places, commit, services)
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
