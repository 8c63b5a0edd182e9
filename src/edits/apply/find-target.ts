import { lowerBaseName } from '../../core/path-names.ts'

/** The file that a name means, or those that it may mean. */
export type Target = { path: string } | { candidates: string[] }

interface Tables {
  byCase: Map<string, string[]>
  byEnd: Map<string, string[]>
  byName: Map<string, string[]>
}

const MAX_CANDIDATES = 10

const one = (paths: string[]): Target =>
  paths.length === 1 && paths[0] !== undefined ? { path: paths[0] } : { candidates: paths.slice(0, MAX_CANDIDATES) }

/** A path without its first folders, the longest first. */
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

/** Finds the file that a name means. */
export class Targets {
  readonly #has: (path: string) => boolean
  readonly #paths: () => Iterable<string>
  #known: Tables | null = null

  /** @param paths - Called once, for the first name that is not exact; `has` says what edits have removed since. */
  constructor({ has, paths }: { has: (path: string) => boolean; paths: () => Iterable<string> }) {
    this.#has = has
    this.#paths = paths
  }

  /**
   * Finds the file of exactly that name, else the only one that differs in case, else the only one whose path ends in
   * the name, or is the end of it.
   */
  find(name: string): Target {
    if (this.#has(name)) return { path: name }
    const { byCase, byEnd, byName } = this.#tables()
    const cased = this.#some(byCase.get(name.toLowerCase()))
    if (cased.length > 0) return one(cased)
    const longer = this.#some(byEnd.get(name))
    // Of several files that the name ends in, the longest says most.
    const shorter = endsOf(name).find(this.#has)
    const found = shorter === undefined ? longer : [...longer, shorter]
    return found.length > 0 ? one(found) : { candidates: this.#some(byName.get(lowerBaseName(name))) }
  }

  #tables(): Tables {
    if (this.#known !== null) return this.#known
    const tables: Tables = { byCase: new Map(), byEnd: new Map(), byName: new Map() }
    for (const path of this.#paths()) {
      push(tables.byCase, path.toLowerCase(), path)
      push(tables.byName, lowerBaseName(path), path)
      for (const end of endsOf(path)) push(tables.byEnd, end, path)
    }
    this.#known = tables
    return tables
  }

  /** Returns the candidates that still exist; a few are enough to know that there is more than one. */
  #some(found: readonly string[] | undefined): string[] {
    const live: string[] = []
    for (const path of found ?? []) {
      if (this.#has(path)) live.push(path)
      if (live.length >= MAX_CANDIDATES) break
    }
    return live
  }
}
