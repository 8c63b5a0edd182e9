import { once } from '../core/once.ts'
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
    async cloneRepository(request, options) {
      const published = await store.readManifest(request.projectName).catch(() => null)
      indexing.prepare(published === null) // while git works
      return await git.sync(request, options)
    },
    indexRepository(request, { signal, onProgress }) {
      const openOnce = once(() => opener.open(request.projectName, false))
      return indexing.indexRepository(request, {
        signal,
        onProgress(progress) {
          if (progress.phase === 'embedding') openOnce() // a large index is published with its words by then
          onProgress(progress)
        },
      })
    },
    hasClone: git.holds,
    indexed({ history: known, ...request }) {
      history.enqueue(request, { calmMs: known === 'full' ? HISTORY_CALM_MS : 0 })
      opener.open(request.projectName, true)
    },
  }
}
