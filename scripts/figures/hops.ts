import type { ImportGraph } from './modules.ts'

/** The files that a request passes from its route to the file that does the work, in their order. */
interface Chain {
  route: string
  /** Each is the end of exactly one path in `src/`. */
  files: readonly string[]
}

/**
 * For `/resolve` the work is to find the file of a frame, for `/clone` to call git. The chains are written by hand,
 * since the way leads through threads and a queue; a checkout has the first of a route's chains whose files it has.
 */
const CHAINS: readonly Chain[] = [
  {
    route: '/resolve',
    files: [
      'routes/resolve.ts',
      'services/resolving.ts',
      'resolver/resolver.ts',
      'cache-located.ts',
      'services/resolve-threads.ts',
      'threads/pool.ts',
      'resolve-worker.ts',
      'locate.ts',
      'map-frames.ts',
      'find-jointly.ts',
    ],
  },
  {
    route: '/resolve',
    files: [
      'routes/resolve.ts',
      'src/services.ts',
      'resolver/resolver.ts',
      'remember-located.ts',
      'compose-resolver.ts',
      'resolve-threads.ts',
      'thread-pool.ts',
      'resolve-worker.ts',
      'locate.ts',
      'map-frames.ts',
      'find-file.ts',
    ],
  },
  {
    route: '/clone',
    files: [
      'routes/projects.ts',
      'http/job-answer.ts',
      'services/services.ts',
      'jobs/jobs.ts',
      'runner.ts',
      'pipelines/clone/run.ts',
      'services/git.ts',
      'threads/rpc.ts',
      'git-worker.ts',
      'repos.ts',
      'sync.ts',
      'fetch-commit.ts',
      'remote-session.ts',
      'git-client.ts',
    ],
  },
  {
    route: '/clone',
    files: [
      'routes/projects.ts',
      'routes/job-answer.ts',
      'src/services.ts',
      'jobs/jobs.ts',
      'runner.ts',
      'with-callback.ts',
      'pipelines/clone.ts',
      'git-thread.ts',
      'thread-calls.ts',
      'git-worker.ts',
      'repos.ts',
      'sync.ts',
      'fetch-commit.ts',
      'remote-session.ts',
      'git-client.ts',
    ],
  },
]

function filesOf(names: readonly string[], graph: ImportGraph): string[] | null {
  const files = names.map(name => [...graph.keys()].filter(path => `/${path}`.endsWith(`/${name}`)))
  return files.every(found => found.length === 1) ? files.flat() : null
}

/** Whether each file knows one passed before, is known by it, or meets it in a third that connects them. */
function isConnected(files: readonly string[], graph: ImportGraph): boolean {
  const knows = (from: string, to: string) => graph.get(from)?.includes(to) ?? false
  const startsThread = (from: string, to: string) => from.includes('thread') && to.includes('worker')
  const isStep = (from: string, to: string): boolean => {
    if (knows(from, to) || knows(to, from) || startsThread(from, to)) return true
    return [...graph.keys()].some(third => knows(third, from) && knows(third, to))
  }
  return files.every((to, index) => index === 0 || files.slice(0, index).some(from => isStep(from, to)))
}

/** Steps from route to work, by route; null where no chain is that of this checkout. */
export function hopsByRoute(graph: ImportGraph, chains = CHAINS): Map<string, number | null> {
  const hops = new Map<string, number | null>()
  for (const { route, files: names } of chains) {
    if (typeof hops.get(route) === 'number') continue
    const files = filesOf(names, graph)
    const isOfCheckout = files !== null && isConnected(files, graph)
    hops.set(route, isOfCheckout ? files.length - 1 : null)
  }
  return hops
}
