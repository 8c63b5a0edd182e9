import { once } from '../core/once.ts'
import { createMutexes } from '../repos/clone/mutex.ts'
import type { HistoryFetcher } from '../pipelines/clone/history.ts'
import type { CloneDeps } from '../pipelines/clone/run.ts'
import type { Store } from '../vecstore/store.ts'
import type { Git } from './git.ts'
import type { Indexing } from './indexing.ts'
import type { Opener } from './opening.ts'

/** What cloning is made of. */
interface CloningDeps {
  git: Git
  store: Store
  indexing: Indexing
  opener: Opener
  history: HistoryFetcher
}

/**
 * What one commit adds to a known history can wait until no further commit comes; the next one is searchable sooner.
 */
const HISTORY_CALM_MS = 2_000

/** What clone jobs work with. */
export function connectCloning({ git, store, indexing, opener, history }: CloningDeps): CloneDeps {
  /** Projects that are indexed for the first time: what is asked most comes right after it. */
  const fresh = new Set<string>()
  const turns = createMutexes()
  const isPublished = async (name: string): Promise<boolean> =>
    (await store.readManifest(name).catch(() => null)) !== null

  return {
    createProject: name => store.createProject(name),
    async forgetUnpublished(name) {
      if ((await store.findProject(name)) === null) return
      // what is only damaged is no reason to delete it
      const isEmpty = await store.readManifest(name).then(
        manifest => manifest === null,
        () => false,
      )
      if (!isEmpty) return
      await store.deleteProject(name)
      await git.release(name)
    },
    async cloneRepository(request, options) {
      const release = indexing.prepare(!(await isPublished(request.projectName))) // while git works
      try {
        return await ('upload' in request ? git.syncUpload(request, options) : git.sync(request, options))
      } finally {
        release()
      }
    },
    async indexRepository(request, { signal, onProgress }) {
      const { projectName } = request
      if (!(await isPublished(projectName))) fresh.add(projectName)
      const openOnce = once(() => opener.open(projectName, { practise: true }))
      return await indexing.indexRepository(request, {
        signal,
        onProgress(progress) {
          // a large index is published with its words by then
          if (progress.phase === 'embedding' && fresh.has(projectName)) openOnce()
          onProgress(progress)
        },
      })
    },
    exclusively: (projectName, work, signal) => turns.run(projectName.toLowerCase(), work, signal),
    hasClone: git.holds,
    discardUpload: git.discardUpload,
    indexed({ history: known, ...request }) {
      history.enqueue(request, { calmMs: known === 'full' ? HISTORY_CALM_MS : 0 })
      opener.open(request.projectName, { practise: fresh.delete(request.projectName) })
    },
  }
}
