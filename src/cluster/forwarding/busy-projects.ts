/** What tells which projects many ask about. */
interface BusyProjectsOptions {
  /** Brings the index of a project to this node; whether it is here then. */
  bring: (projectName: string) => Promise<boolean>
  /** A monotonic clock, in ms. */
  now?: () => number
}

/** The requests about one project that another node keeps. */
interface Counted {
  /** When the present minute began. */
  since: number
  /** Requests of the present minute. */
  count: number
  /** Whether this node has a copy of the index, or is getting one. */
  copy: 'none' | 'coming' | 'here'
}

const WINDOW_MS = 60_000
/** Requests of a minute. Bringing an index takes as long as forwarding some thousand of them. */
const MANY = 300
/** A minute with fewer ends the use of a copy. */
const FEW = 30
const MAX_COUNTED = 10_000

/**
 * Projects of which so many requests come to this node, though another one keeps their index, that this one takes a
 * copy and answers itself: to forward a request costs more than most answers do, and one node alone would answer all
 * that is asked about a project.
 */
export class BusyProjects {
  readonly #bring: (projectName: string) => Promise<boolean>
  readonly #now: () => number
  readonly #projects = new Map<string, Counted>()

  constructor({ bring, now = () => performance.now() }: BusyProjectsOptions) {
    this.#bring = bring
    this.#now = now
  }

  /** Counts a request about a project that another node keeps. Whether this node answers it from a copy. */
  answersHere(projectName: string): boolean {
    const project = this.#project(projectName.toLowerCase())
    const past = this.#now() - project.since
    if (past >= WINDOW_MS) {
      const isStill = past < 2 * WINDOW_MS && project.count >= FEW
      if (project.copy === 'here' && !isStill) project.copy = 'none'
      project.since = this.#now()
      project.count = 0
    }
    project.count++
    if (project.copy === 'none' && project.count >= MANY) this.#take(projectName, project)
    return project.copy === 'here'
  }

  #project(key: string): Counted {
    const known = this.#projects.get(key)
    if (known !== undefined) return known
    if (this.#projects.size >= MAX_COUNTED) this.#projects.clear() // they are counted again
    const project: Counted = { since: this.#now(), count: 0, copy: 'none' }
    this.#projects.set(key, project)
    return project
  }

  /** Requests are forwarded until the copy is here; one that cannot be had is asked for after as many again. */
  #take(projectName: string, project: Counted): void {
    project.copy = 'coming'
    const ended = (isHere: boolean): void => {
      project.copy = isHere ? 'here' : 'none'
      if (!isHere) project.count = 0
    }
    this.#bring(projectName).then(ended, () => ended(false))
  }
}
