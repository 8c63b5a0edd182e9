import { once } from '../core/once.ts'
import type { RunKey } from '../jobs/store/run-key.ts'
import { createMutexes } from '../repos/clone/mutex.ts'
import type { HistoryFetcher } from '../pipelines/clone/history.ts'
import type { CloneDeps, StepOptions } from '../pipelines/clone/run.ts'
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
  /** Left out on a machine of its own. */
  sharing?: IndexSharing
}

/** How what is indexed on this machine becomes what all nodes answer from. */
export interface IndexSharing {
  /** Begins a build from what all nodes have; until it is disposed of nothing else changes the index here. */
  begin(projectName: string, signal: AbortSignal): Promise<Disposable>
  /** Does work after all earlier work of the kind on any node. */
  exclusively<T>(projectName: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
  /** @throws {FaultlineError} PROJECT_BUSY: another run has the job by now, or something newer is published. */
  publish(projectName: string, run: RunKey, signal: AbortSignal): Promise<void>
}

/**
 * What one commit adds to a known history can wait until no further commit comes; the next one is searchable sooner.
 */
const HISTORY_CALM_MS = 2_000

/** What clone jobs work with. */
export function connectCloning({ git, store, indexing, opener, history, sharing }: CloningDeps): CloneDeps {
  /** Projects that are indexed for the first time: what is asked most comes right after it. */
  const fresh = new Set<string>()
  const turns = createMutexes()
  const isPublished = async (name: string): Promise<boolean> =>
    (await store.readManifest(name).catch(() => null)) !== null

  async function index(request: Parameters<Indexing['indexRepository']>[0], { signal, onProgress }: StepOptions) {
    const { projectName } = request
    if (!(await isPublished(projectName))) fresh.add(projectName)
    const openOnce = once(() => opener.open(projectName, { practise: false }))
    const practiseOnce = once(() => opener.open(projectName, { practise: true }))
    return await indexing.indexRepository(request, {
      signal,
      onProgress(progress) {
        if (fresh.has(projectName)) {
          // a large index is published with its words by then
          if (progress.phase === 'embedding') openOnce()
          // what makes it has ended its second thread by then, which takes as much memory as practising
          if (progress.phase === 'storing') practiseOnce()
        }
        onProgress(progress)
      },
    })
  }

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
    async indexRepository(request, { signal, onProgress, run }) {
      const { projectName } = request
      const building = await sharing?.begin(projectName, signal)
      try {
        const indexed = await index(request, { signal, onProgress })
        await sharing?.publish(projectName, run, signal)
        return indexed
      } finally {
        building?.[Symbol.dispose]()
      }
    },
    async exclusively(projectName, work, signal) {
      const own = () => turns.run(projectName.toLowerCase(), work, signal)
      return await (sharing === undefined ? own() : sharing.exclusively(projectName, own, signal))
    },
    hasClone: git.holds,
    discardUpload: git.discardUpload,
    indexed({ history: known, ...request }) {
      history.enqueue(request, { calmMs: known === 'full' ? HISTORY_CALM_MS : 0 })
      opener.open(request.projectName, { practise: fresh.delete(request.projectName) })
    },
  }
}
