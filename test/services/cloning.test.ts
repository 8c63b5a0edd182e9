import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { connectCloning } from '../../src/services/cloning.ts'

const cloned = { repository: 'shop', projectName: 'shop' }

function connected(whenOpened: () => Promise<unknown>) {
  const queued: unknown[] = []
  const warned: string[] = []
  const closing = new AbortController()
  const { indexed } = connectCloning({
    git: { holds: async () => true },
    store: {},
    indexing: { indexRepository: async () => {} },
    resolveThreads: { runFor: whenOpened },
    history: { enqueue: (...request: unknown[]) => queued.push(request) },
    log: { warn: (_context: object, message: string) => warned.push(message) },
    closing: closing.signal,
  } as never)
  return { indexed, queued, warned, closing }
}

const settled = () => new Promise<void>(resolve => setImmediate(resolve))

test('once a project is indexed its history is asked for; a known one can wait for further commits', async t => {
  const { indexed, queued } = connected(async () => {})
  indexed({ ...cloned, history: 'shallow' })
  indexed({ ...cloned, history: 'full' })
  t.same(queued, [
    [cloned, { calmMs: 0 }],
    [cloned, { calmMs: 2_000 }],
  ])
})

test('a thread opens the new index; only what is unexpected is logged', async t => {
  const failing = (error: Error) => connected(() => Promise.reject(error))
  const gone = failing(new FaultlineError('PROJECT_NOT_FOUND', 'deleted meanwhile'))
  gone.indexed({ ...cloned, history: 'full' })
  const broken = failing(new Error('a bug'))
  broken.indexed({ ...cloned, history: 'full' })
  const stopping = failing(new Error('the threads end'))
  stopping.closing.abort()
  stopping.indexed({ ...cloned, history: 'full' })
  await settled()
  t.same(gone.warned, [])
  t.same(broken.warned, Array(2).fill('a thread could not open what was indexed'))
  t.same(stopping.warned, [])
})
