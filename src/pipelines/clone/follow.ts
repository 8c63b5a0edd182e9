import type { IndexedRepository } from '../../core/project.ts'

/** A repository as a project holds it. */
export type FollowedRepository = Pick<
  IndexedRepository,
  'repository' | 'url' | 'branch' | 'commit' | 'indexedAt' | 'include' | 'exclude'
> & { projectName: string }

/** A project that is to be looked at again and again. */
export interface SyncedProject {
  projectName: string
  everyMs: number
  /** When something of it was last indexed, in milliseconds since 1970. */
  lastAt: number
}

/** What looking at projects needs. */
interface FollowDeps {
  list: () => Promise<SyncedProject[]>
  /** Looks whether a project has anything new, and resolves when that is indexed. */
  update: (projectName: string, signal: AbortSignal) => Promise<void>
  onError: (error: unknown, projectName: string | null) => void
  now?: () => number
  /** From 0 to 1. */
  random?: () => number
}

/** What looks for new commits at the intervals that projects ask for. */
export interface Follower {
  /**
   * Looks at the projects that are due, one after the other.
   *
   * @returns Milliseconds until the next one is due; null when none is to be looked at.
   */
  tick(): Promise<number | null>
  /** Does so from now on, until it is closed. */
  start(): void
  close(): Promise<void>
}

/** Settings that changed are seen at the latest after this time. */
const LOOK_MS = 15_000
/** By so much of its interval a project is looked at earlier or later, so that many do not come at once. */
const JITTER = 0.1
/** What is overdue, as after a restart, is spread over at most this time. */
const OVERDUE_MS = 30_000

/** Looks at projects in turn; what is due is worked out from when they were last indexed, which survives a restart. */
export function createFollower(deps: FollowDeps): Follower {
  const { list, update, onError, now = () => Date.now(), random = () => Math.random() } = deps
  const closing = new AbortController()
  const due = new Map<string, { everyMs: number; at: number }>()
  let timer: NodeJS.Timeout | undefined
  let working: Promise<unknown> = Promise.resolve()

  const jittered = (everyMs: number): number => Math.round(everyMs * (1 - JITTER + 2 * JITTER * random()))

  function firstTime({ everyMs, lastAt }: SyncedProject): number {
    const next = lastAt + jittered(everyMs)
    return next > now() ? next : now() + random() * Math.min(OVERDUE_MS, everyMs)
  }

  function plan(projects: readonly SyncedProject[]): void {
    const names = new Set(projects.map(({ projectName }) => projectName))
    for (const name of due.keys()) if (!names.has(name)) due.delete(name)
    for (const project of projects) {
      const { projectName, everyMs } = project
      if (due.get(projectName)?.everyMs !== everyMs) due.set(projectName, { everyMs, at: firstTime(project) })
    }
  }

  async function look(): Promise<number | null> {
    plan(await list())
    const ready = [...due].filter(([, { at }]) => at <= now()).sort(([, a], [, b]) => a.at - b.at)
    for (const [projectName, { everyMs }] of ready) {
      if (closing.signal.aborted) return null
      await update(projectName, closing.signal).catch((error: unknown) => {
        if (!closing.signal.aborted) onError(error, projectName)
      })
      due.set(projectName, { everyMs, at: now() + jittered(everyMs) })
    }
    return due.size === 0 ? null : Math.max(0, Math.min(...[...due.values()].map(({ at }) => at)) - now())
  }

  function tick(): Promise<number | null> {
    const own = working.then(look)
    working = own.catch(() => {})
    return own
  }

  function wait(ms: number): void {
    timer = setTimeout(() => {
      tick()
        .catch((error: unknown) => {
          if (!closing.signal.aborted) onError(error, null)
          return null
        })
        .then(next => {
          if (!closing.signal.aborted) wait(Math.min(next ?? LOOK_MS, LOOK_MS))
        })
        .catch(() => {})
    }, ms).unref()
  }

  return {
    tick,
    start: () => wait(LOOK_MS),
    async close() {
      closing.abort()
      clearTimeout(timer)
      await working
    },
  }
}
