import { test } from 'tap'
import { connectCloning } from '../../src/services/cloning.ts'

const cloned = { repository: 'shop', projectName: 'shop' }

type Reported = { phase: string; done: number; total: number | null }

/** An indexer that reports these phases. */
function connected(phases: readonly string[] = [], published: object | null = null) {
  const queued: unknown[] = []
  const opened: unknown[] = []
  const deps = connectCloning({
    git: { holds: async () => true },
    store: { readManifest: async () => published },
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

const PHASES = ['files', 'embedding', 'embedding', 'storing', 'storing']

async function index({ indexRepository }: Pick<ReturnType<typeof connected>, 'indexRepository'>): Promise<string[]> {
  const reported: string[] = []
  const request = { projectName: 'shop', repository: cloned, include: [], exclude: [] }
  const hooks = {
    signal: new AbortController().signal,
    onProgress: ({ phase }: { phase: string }) => reported.push(phase),
  }
  await indexRepository(request as never, hooks as never)
  return reported
}

test('a first index is opened when its words are there, and practised with from its vectors on', async t => {
  const first = connected(PHASES)
  t.same(await index(first), PHASES)
  const [opens, practises] = [false, true].map(practise => ['shop', { practise }])
  t.same(first.opened, [opens, practises])
  first.indexed({ ...cloned, history: 'full' })
  t.same(first.opened.slice(2), [practises])
  first.indexed({ ...cloned, history: 'full' })
  t.same(first.opened.slice(3), [opens])
})

test('a later index is opened when it is whole, and nobody practises with it', async t => {
  const later = connected(PHASES, {})
  t.same(await index(later), PHASES)
  t.same(later.opened, [])
  later.indexed({ ...cloned, history: 'full' })
  t.same(later.opened, [['shop', { practise: false }]])
})

test('the process that indexes is kept until git is done, be it that git fails', async t => {
  const said: string[] = []
  const { cloneRepository } = connectCloning({
    git: {
      async sync() {
        said.push('git')
        throw new Error('gone')
      },
    },
    store: { readManifest: async () => null },
    indexing: {
      prepare(isNew: boolean) {
        said.push(`prepared ${isNew}`)
        return () => said.push('released')
      },
    },
  } as never)
  await t.rejects(cloneRepository(cloned as never, {} as never), { message: 'gone' })
  t.same(said, ['prepared true', 'git', 'released'])
})
