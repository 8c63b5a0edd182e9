import type { LocatedCode, MarkedLine, Past } from '../../core/resolution.ts'
import type { Outline } from '../../core/outline.ts'
import type { ChangesSince, SearchChangesSince, WatchedPlace } from '../../repos/history/changes-since.ts'
import type { SearchSuspects } from '../../repos/history/suspects.ts'
import { functionOf, scopesAround } from '../context/scopes.ts'
import { findSuspects, worstOf, type FindSuspects } from './suspects.ts'

/** Frames whose functions are watched, the nearest to the failure. */
const MAX_PLACES = 5
/** Lines around one that is in no function. */
const LINES_AROUND = 3

/** The lines that belong together with a line: those of the function around it, or a few. */
export function linesTogether(outline: Outline | null, line: number): { startLine: number; endLine: number } {
  const scopes = outline?.scopes ?? []
  const index = functionOf(scopes, scopesAround(scopes, line))
  const scope = index === null ? undefined : scopes[index]
  if (scope === undefined) return { startLine: Math.max(1, line - LINES_AROUND), endLine: line + LINES_AROUND }
  return { startLine: scope.leadLine, endLine: scope.endLine }
}

/** A place by which a repository is searched. */
type Watched = WatchedPlace & Pick<MarkedLine, 'repository' | 'commit'> & { tip: string }

function watchedIn(lines: readonly MarkedLine[]): Watched[] {
  return lines
    .flatMap(({ since, repository, commit, path, line, failing }) =>
      since === undefined ? [] : [{ ...since, repository, commit, path, line, failing }],
    )
    .slice(0, MAX_PLACES)
}

/**
 * What later commits changed in the functions of the nearest frames; nothing where the code is read at the commit that
 * is indexed, or where nothing is known to have come later.
 */
async function findChangedSince(
  { lines }: LocatedCode['marked'],
  search: SearchChangesSince,
  signal: AbortSignal | undefined,
): Promise<Pick<Past, 'changedSince' | 'failingLineGone'> & Pick<ChangesSince, 'status'>> {
  const byRepository = Map.groupBy(watchedIn(lines), ({ repository }) => repository)
  const found = await Promise.all(
    [...byRepository].map(async ([repository, own]) => {
      const { commit = '', tip = '' } = own[0] ?? {}
      const places = own.map(({ repository: _repository, commit: _commit, tip: _tip, ...place }) => place)
      return search({ repository, commit, tip, places, ...(signal === undefined ? {} : { signal }) })
    }),
  )
  const status = worstOf(found.map(one => one.status))
  const known = found.flatMap(({ changes }) => (changes === null ? [] : [changes]))
  if (known.length === 0) return { status }
  return {
    status,
    changedSince: known.flat().sort((a, b) => (a.date < b.date ? 1 : -1)),
    failingLineGone: found.some(({ failingLineGone }) => failingLineGone),
  }
}

/** Finds the commits that changed the lines of a trace: before it, and since. */
export const findPast =
  (search: { suspects: SearchSuspects; changesSince: SearchChangesSince }): FindSuspects =>
  async (marked, signal) => {
    const [suspects, { status, ...since }] = await Promise.all([
      findSuspects(marked, search.suspects, signal),
      findChangedSince(marked, search.changesSince, signal),
    ])
    return { ...suspects, ...since, suspectsStatus: worstOf([suspects.suspectsStatus, status]) }
  }
