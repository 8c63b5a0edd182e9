import { lowerBaseName } from '../../core/path-names.ts'

/** Finds the file that a name means. */
export interface Targets {
  /**
   * Exactly so, else the only one that differs in case, else the only one that ends in the name, or that the name ends
   * in.
   */
  find(name: string): { path: string } | { candidates: string[] }
}

interface Tables {
  byCase: Map<string, string[]>
  byEnd: Map<string, string[]>
  byName: Map<string, string[]>
}

const MAX_CANDIDATES = 10

const one = (paths: string[]): { path: string } | { candidates: string[] } =>
  paths.length === 1 && paths[0] !== undefined ? { path: paths[0] } : { candidates: paths.slice(0, MAX_CANDIDATES) }

/** The path without its first folders, the longest first. */
function endsOf(path: string): string[] {
  const ends: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) ends.push(path.slice(at + 1))
  return ends
}

function push(map: Map<string, string[]>, key: string, path: string): void {
  const own = map.get(key)
  if (own === undefined) map.set(key, [path])
  else own.push(path)
}

/** @param paths - Asked once, the first time that a name is not exact; `has` tells what edits have removed since. */
export function createTargets(has: (path: string) => boolean, paths: () => Iterable<string>): Targets {
  let known: Tables | null = null

  function tables(): Tables {
    if (known !== null) return known
    known = { byCase: new Map(), byEnd: new Map(), byName: new Map() }
    for (const path of paths()) {
      push(known.byCase, path.toLowerCase(), path)
      push(known.byName, lowerBaseName(path), path)
      for (const end of endsOf(path)) push(known.byEnd, end, path)
    }
    return known
  }

  /** A few of them are enough to know that it is not the only one. */
  function some(found: readonly string[] | undefined): string[] {
    const live: string[] = []
    for (const path of found ?? []) {
      if (has(path)) live.push(path)
      if (live.length >= MAX_CANDIDATES) break
    }
    return live
  }

  return {
    find(name) {
      if (has(name)) return { path: name }
      const { byCase, byEnd, byName } = tables()
      const cased = some(byCase.get(name.toLowerCase()))
      if (cased.length > 0) return one(cased)
      const longer = some(byEnd.get(name))
      // Of several files that the name ends in, the longest says most.
      const shorter = endsOf(name).find(has)
      const found =
        longer.length > 0
          ? [...longer, ...(shorter === undefined ? [] : [shorter])]
          : shorter === undefined
            ? []
            : [shorter]
      return found.length > 0 ? one(found) : { candidates: some(byName.get(lowerBaseName(name))) }
    },
  }
}
