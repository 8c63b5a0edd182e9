/** Finds the file that a name means. */
export interface Targets {
  /** Exactly so, else the only one that differs in case, else the only one that ends in the name, or that the name ends in. */
  find (name: string): { path: string } | { candidates: string[] }
}

const MAX_CANDIDATES = 10

/** @param paths - Asked anew at each search, as edits add and remove files; costs one pass over them the first time a name is not exact. */
export function createTargets (has: (path: string) => boolean, paths: () => Iterable<string>): Targets {
  let known: { byCase: Map<string, string[]>, byName: Map<string, string[]> } | null = null

  function tables (): { byCase: Map<string, string[]>, byName: Map<string, string[]> } {
    if (known !== null) return known
    const byCase = new Map<string, string[]>()
    const byName = new Map<string, string[]>()
    for (const path of paths()) {
      push(byCase, path.toLowerCase(), path)
      push(byName, nameOf(path), path)
    }
    known = { byCase, byName }
    return known
  }

  return {
    find (name) {
      if (has(name)) return { path: name }
      const { byCase, byName } = tables()
      const cased = (byCase.get(name.toLowerCase()) ?? []).filter(has)
      if (cased.length > 0) return one(cased)
      const suffixed = (byName.get(nameOf(name)) ?? []).filter(path => has(path) && (path.endsWith(`/${name}`) || name.endsWith(`/${path}`)))
      const longest = Math.max(...suffixed.map(path => path.length))
      // A name that several files are the end of: the longest of them says most.
      const best = suffixed.every(path => name.endsWith(`/${path}`)) ? suffixed.filter(path => path.length === longest) : suffixed
      return best.length > 0 ? one(best) : { candidates: (byName.get(nameOf(name)) ?? []).filter(has).slice(0, MAX_CANDIDATES) }
    },
  }
}

const one = (paths: string[]): { path: string } | { candidates: string[] } => paths.length === 1 && paths[0] !== undefined ? { path: paths[0] } : { candidates: paths.slice(0, MAX_CANDIDATES) }

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1).toLowerCase()

function push (map: Map<string, string[]>, key: string, path: string): void {
  const own = map.get(key)
  if (own === undefined) map.set(key, [path])
  else own.push(path)
}
