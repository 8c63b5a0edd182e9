/** The folders above a path, the first one first. */
export function parentsOf(path: string): string[] {
  const parents: string[] = []
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) parents.push(path.slice(0, at))
  return parents
}

/** The folders that files stand in. Made when they are first asked for: most replies need none. */
export class Folders {
  readonly #paths: Iterable<string>
  readonly #written: string[] = []
  #known: Set<string> | null = null

  constructor(paths: Iterable<string>) {
    this.#paths = paths
  }

  has(path: string): boolean {
    this.#known ??= new Set([...this.#paths, ...this.#written].flatMap(parentsOf))
    return this.#known.has(path)
  }

  /** Adds the folders of a file that is written. */
  add(path: string): void {
    this.#written.push(path)
    for (const parent of this.#known === null ? [] : parentsOf(path)) this.#known?.add(parent)
  }
}
