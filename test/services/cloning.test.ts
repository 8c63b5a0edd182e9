import { test } from 'tap'
import { connectCloning } from '../../src/services/cloning.ts'

const cloned = { repository: 'shop', projectName: 'shop' }

type Reported = { phase: string; done: number; total: number | null }

/** An indexer that reports these phases. */
function connected(phases: readonly string[] = []) {
  const queued: unknown[] = []
  const opened: unknown[] = []
  const deps = connectCloning({
    git: { holds: async () => true },
    store: {},
    indexing: {
      async indexRepository(_request: unknown, { onProgress }: { onProgress: (progress: Reported) => void }) {
        for (const [done, phase] of phases.entries()) onProgress({ phase, done, total: null })
      },
    },
    opener: { open: (...asked: unknown[]) => opened.push(asked) },
    history: { enqueue: (...request: unknown[]) => queued.push(request) },
  } as never)
  return { ...deps, queued, opened }
}

test('once a project is indexed its history is asked for; a known one can wait for further commits', async t => {
  const { indexed, queued } = connected()
  indexed({ ...cloned, history: 'shallow' })
  indexed({ ...cloned, history: 'full' })
  t.same(queued, [
    [cloned, { calmMs: 0 }],
    [cloned, { calmMs: 2_000 }],
  ])
})

test('an index is opened when its words are there, and when it is whole', async t => {
  const { indexRepository, indexed, opened } = connected(['files', 'embedding', 'embedding'])
  const reported: string[] = []
  const request = { projectName: 'shop', repository: cloned, include: [], exclude: [] }
  const hooks = {
    signal: AbortSignal.timeout(9_999),
    onProgress: ({ phase }: { phase: string }) => reported.push(phase),
  }
  await indexRepository(request as never, hooks as never)
  t.same(opened, [['shop', false]])
  t.same(reported, ['files', 'embedding', 'embedding'])
  indexed({ ...cloned, history: 'full' })
  t.same(opened.slice(1), [['shop', true]])
})

test('a clone prepares for much to index where nothing can be read of an index yet', async t => {
  const prepared: boolean[] = []
  const clone = async (readManifest: () => Promise<unknown>) => {
    const { cloneRepository } = connectCloning({
      git: { sync: async () => cloned },
      store: { readManifest },
      indexing: { prepare: (isNew: boolean) => prepared.push(isNew) },
    } as never)
    await cloneRepository({ url: 'https://example.com/shop', projectName: 'shop' }, {} as never)
  }
  await clone(async () => null)
  await clone(async () => ({ generation: 1 }))
  await clone(() => Promise.reject(new Error('damaged')))
  t.same(prepared, [true, false, true])
})
