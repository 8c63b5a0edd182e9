import { FaultlineError } from '../core/errors.ts'
import type { HistoryFetcher } from '../pipelines/clone/history.ts'
import type { CloneDeps } from '../pipelines/clone/run.ts'
import type { Store } from '../vecstore/store.ts'
import type { Git } from './git.ts'
import type { Indexing } from './indexing.ts'
import type { Log } from './log.ts'
import type { ResolveThreads } from './resolve-threads.ts'

/** What cloning is made of. */
interface CloningDeps {
  git: Git
  store: Store
  indexing: Indexing
  resolveThreads: ResolveThreads
  history: HistoryFetcher
  log: Log
  /** Fires when the server begins to stop. */
  closing: AbortSignal
}

/**
 * What one commit adds to a known history can wait until no further commit comes; the next one is searchable sooner.
 */
const HISTORY_CALM_MS = 2_000

/** A project may be deleted or made anew at any time. */
const isGone = (error: unknown): boolean =>
  error instanceof FaultlineError && (error.code === 'PROJECT_NOT_FOUND' || error.code === 'INDEX_NOT_READY')

/** Who indexes a project soon asks it: a thread opens it now. It may be gone by then, and asking opens it, too. */
function openInThread({ resolveThreads, log, closing }: CloningDeps, projectName: string): void {
  resolveThreads.runFor(projectName, 'prepare', { projectName }).catch((error: unknown) => {
    if (closing.aborted || isGone(error)) return
    log.warn({ err: error, project: projectName }, 'a thread could not open what was indexed')
  })
}

/** The first answers would wait for threads that have not opened it. */
const OPENED_IN = 2

/** What clone jobs work with. */
export function connectCloning(deps: CloningDeps): CloneDeps {
  const { git, store, indexing, history } = deps
  return {
    createProject: name => store.createProject(name),
    async forgetUnpublished(name) {
      if ((await store.findProject(name)) === null) return
      // what is only damaged is no reason to delete it
      const isEmpty = await store.readManifest(name).then(
        manifest => manifest === null,
        () => false,
      )
      if (isEmpty) await store.deleteProject(name)
    },
    cloneRepository(request, options) {
      indexing.prepare() // while git works
      return git.sync(request, options)
    },
    indexRepository: indexing.indexRepository,
    hasClone: git.holds,
    indexed({ history: known, ...request }) {
      history.enqueue(request, { calmMs: known === 'full' ? HISTORY_CALM_MS : 0 })
      for (let i = 0; i < OPENED_IN; i++) openInThread(deps, request.projectName)
    },
  }
}
