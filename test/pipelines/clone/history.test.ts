import { mock } from 'node:test'
import { test } from 'tap'
import { FaultlineError } from '../../../src/core/errors.ts'
import { createHistoryFetcher } from '../../../src/pipelines/clone/history.ts'

test('two projects on one clone both get their history, one after the other', async t => {
  const fetched: string[] = []
  let active = 0
  const history = createHistoryFetcher({
    fetchHistory: async ({ repository, projectName }) => {
      t.equal(++active, 1)
      await new Promise(resolve => setImmediate(resolve))
      active--
      fetched.push(`${projectName}/${repository}`)
      return 'full'
    },
    onError: error => t.error(error),
  })
  for (const projectName of ['a', 'b', 'a']) history.enqueue({ repository: 'flask', projectName })
  await history.idle()
  t.same(fetched, ['a/flask', 'b/flask', 'a/flask'], 'asked again while the first was under way, it is fetched again')
})

test('what was interrupted is asked for again; a failure is told and does not stop the others', async t => {
  const outcomes: Array<'interrupted' | 'full' | Error> = ['interrupted', new Error('no network'), 'full', 'full']
  const errors: unknown[] = []
  const history = createHistoryFetcher({
    fetchHistory: async () => {
      const outcome = outcomes.shift() ?? 'full'
      if (outcome instanceof Error) throw outcome
      return outcome
    },
    onError: (error, repository) => errors.push([String(error), repository]),
  })
  for (const repository of ['one', 'two', 'three']) history.enqueue({ repository, projectName: 'p' })
  await history.idle()
  t.same(outcomes, [])
  t.same(errors, [['Error: no network', 'two']])
})

test('a project that is deleted meanwhile is no failure to tell of', async t => {
  const asked: string[] = []
  const history = createHistoryFetcher({
    fetchHistory: async ({ repository }) => {
      asked.push(repository)
      throw new FaultlineError('NOT_FOUND', 'The repository is not cloned here.')
    },
    onError: error => t.error(error),
  })
  for (const repository of ['one', 'two']) history.enqueue({ repository, projectName: 'p' })
  await history.idle()
  t.same(asked, ['one', 'two'])
})

test('closing ends the fetch under way and drops the rest', async t => {
  let calls = 0
  const history = createHistoryFetcher({
    fetchHistory: ({ signal }) =>
      new Promise((_resolve, reject) => {
        calls++
        signal.addEventListener('abort', () => reject(signal.reason))
      }),
    onError: error => t.error(error),
  })
  history.enqueue({ repository: 'one', projectName: 'p' })
  history.enqueue({ repository: 'two', projectName: 'p' })
  await history.close()
  t.equal(calls, 1)
})

test('what can wait is fetched once, when nobody asks for it any more, or when somebody waits for all of it', async t => {
  const fetched: string[] = []
  const { promise: calm, resolve: isCalm } = Promise.withResolvers<void>()
  const history = createHistoryFetcher({
    fetchHistory: async ({ repository }) => {
      fetched.push(repository)
      isCalm()
      return 'full'
    },
    onError: error => t.error(error),
  })
  for (let i = 0; i < 3; i++) history.enqueue({ repository: 'soon', projectName: 'p' }, { calmMs: 20 })
  t.same(fetched, [])
  await calm
  t.same(fetched, ['soon'])
  history.enqueue({ repository: 'later', projectName: 'p' }, { calmMs: 60_000 })
  await history.idle()
  t.same(fetched, ['soon', 'later'])
  history.enqueue({ repository: 'never', projectName: 'p' }, { calmMs: 60_000 })
  await history.close()
  await history.idle()
  t.same(fetched, ['soon', 'later'])
})

test('calm counts from the last time that something was asked for, and what was fetched before is not again', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  const fetched: string[] = []
  const history = createHistoryFetcher({
    fetchHistory: async ({ repository }) => {
      fetched.push(repository)
      return 'full'
    },
    onError: error => t.error(error),
  })
  const ask = (repository: string) => history.enqueue({ repository, projectName: 'p' }, { calmMs: 1_000 })
  ask('shop')
  mock.timers.tick(600)
  ask('shop')
  mock.timers.tick(999)
  t.same(fetched, [])
  mock.timers.tick(1)
  t.same(fetched, ['shop'])
  ask('till')
  await history.idle()
  mock.timers.tick(1_000)
  await history.idle()
  t.same(fetched, ['shop', 'till'])
})
