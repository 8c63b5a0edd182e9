import { test } from 'tap'
import { LARGE_CHUNKS } from '../../src/core/project.ts'
import { loadConfig } from '../../src/config.ts'
import { createResolveThreads, startResolveThreads } from '../../src/services/resolve-threads.ts'
import type { PoolOptions, ThreadStarter } from '../../src/threads/entry.ts'
import type { ThreadPool } from '../../src/threads/pool.ts'

/** Notes what it was asked to do. */
function pool(title: string, calls: string[]): Pick<ThreadPool, keyof ThreadPool> {
  const note = async (what: string) => {
    calls.push(`${title}: ${what}`)
  }
  return {
    async run(name) {
      await note(name)
      return Promise.reject(new Error(title))
    },
    warmUp: () => note('warmUp'),
    close: () => note('close'),
  }
}

test('what reads a large index goes to the threads for these, all else to the others', async t => {
  const calls: string[] = []
  const chunks = new Map([
    ['small', LARGE_CHUNKS - 1],
    ['large', LARGE_CHUNKS],
  ])
  const threads = createResolveThreads({
    common: pool('common', calls),
    large: pool('large', calls),
    chunksOf: async project => chunks.get(project) ?? 0,
  })
  await threads.warmUp()
  const request = { projectName: 'shop', stackTrace: '', maxContextTokens: 1 }
  await t.rejects(threads.runFor('small', 'locate', { request }), { message: 'common' })
  await t.rejects(threads.runFor('large', 'search', { projectName: 'shop', query: '', limit: 1 }), { message: 'large' })
  await t.rejects(threads.runFor('lost', 'locate', { request }), { message: 'common' })
  await t.rejects(threads.run('parse', { stackTrace: '' }), { message: 'common' })
  await threads.close()
  t.same(calls, [
    'common: warmUp',
    'common: locate',
    'large: search',
    'common: locate',
    'common: parse',
    'common: close',
    'large: close',
  ])
})

test('the log hears of every process that answers and is lost', async t => {
  const pools: PoolOptions[] = []
  const starter = {
    pool: (_module: string, options: PoolOptions) => {
      pools.push(options)
      return { run: async () => null, destroy: async () => {} }
    },
  } as Partial<ThreadStarter> as ThreadStarter
  const warned: object[] = []
  const log = { warn: (what: object) => warned.push(what) } as never
  startResolveThreads(loadConfig({ root: t.testdir(), env: {} }), { chunksOf: async () => 0, log, starter })
  const reasons = pools.map((_, index) => new Error(`lost ${index}`))
  for (const [index, { onLost }] of pools.entries()) onLost?.(reasons[index])
  t.same(
    warned,
    reasons.map(err => ({ err })),
  )
  t.equal(pools.length, 2)
})
