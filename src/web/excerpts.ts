import type { ResolutionAnswer } from '../contract/resolution.ts'
import type { Services } from '../services/services.ts'
import type { CodeShown } from './parts/code.ts'

/** A place whose code is to be shown. */
interface Place {
  repository: string
  path: string
  startLine: number
  endLine: number
  marked: readonly number[]
}

/** Lines that are shown around the line of a frame, on each side. */
const AROUND = 6
/** A source that is longer is cut: whoever wants more opens the file. */
const MAX_LINES = 200
/** Files that are read for one page. */
const MAX_FILES = 60

/** The code behind a resolution, by what it is asked for; null where the file cannot be read any more. */
export interface Excerpts {
  ofFrame(frame: ResolutionAnswer['frames'][number]): CodeShown | null
  ofSource(source: ResolutionAnswer['sources'][number]): CodeShown | null
}

const fileKey = (repository: string, path: string): string => `${repository}\n${path}`

function filesOf({ frames, sources }: ResolutionAnswer): Array<{ repository: string; path: string }> {
  const files = new Map<string, { repository: string; path: string }>()
  for (const { repository, path } of [...frames, ...sources]) {
    if (repository !== null && path !== null) files.set(fileKey(repository, path), { repository, path })
  }
  return [...files.values()].slice(0, MAX_FILES)
}

function cut(lines: readonly string[], { startLine, endLine, marked }: Omit<Place, 'repository' | 'path'>): CodeShown {
  const start = Math.max(1, startLine)
  const end = Math.min(lines.length, endLine, start + MAX_LINES - 1)
  return { startLine: start, lines: lines.slice(start - 1, end), marked }
}

/** Reads the files of a resolution at its commit, once each. */
export async function readExcerpts(
  resolution: ResolutionAnswer,
  { readCommitted }: Pick<Services, 'readCommitted'>,
): Promise<Excerpts> {
  const { commit } = resolution
  const read = await Promise.all(
    filesOf(resolution).map(async ({ repository, path }): Promise<[string, string[]] | null> => {
      const bytes = await readCommitted({ repository, commit, path })
      return bytes === null ? null : [fileKey(repository, path), bytes.toString('utf8').split(/\r?\n/)]
    }),
  )
  const files = new Map(read.filter(one => one !== null))
  function excerpt({ repository, path, ...place }: Place): CodeShown | null {
    const lines = files.get(fileKey(repository, path))
    if (lines === undefined) return null
    const shown = cut(lines, place)
    return shown.lines.length === 0 ? null : shown
  }
  return {
    ofFrame({ repository, path, code_line: line }) {
      if (repository === null || path === null || line === null) return null
      return excerpt({ repository, path, startLine: line - AROUND, endLine: line + AROUND, marked: [line] })
    },
    ofSource: ({ repository, path, start_line: startLine, end_line: endLine, highlighted_lines: marked }) =>
      excerpt({ repository, path, startLine, endLine, marked }),
  }
}
