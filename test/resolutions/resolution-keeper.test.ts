import { join } from 'node:path'
import { test, type Test } from 'tap'
import type { ResolutionAnswer } from '../../src/contract/resolution.ts'
import { openJobsDatabase } from '../../src/jobs/store/sqlite/database.ts'
import { Transactions } from '../../src/jobs/store/sqlite/transactions.ts'
import { ResolutionKeeper } from '../../src/resolutions/resolution-keeper.ts'
import type { ResolutionStore } from '../../src/resolutions/resolution-store.ts'
import { SqliteResolutionStore } from '../../src/resolutions/sqlite-resolution-store.ts'
import { testFolder } from '../helpers/test-folder.ts'

const idOf = (number: number): string => `res_${String(number).padStart(24, '0')}`

const answer = (number: number): ResolutionAnswer =>
  ({
    id: idOf(number),
    project_name: 'shop',
    commit: 'a'.repeat(40),
    exceptions: [
      { relation: 'cause', type: 'KeyError', message: 'x', fingerprint: 'cd' },
      { relation: 'root', type: 'ValueError', message: `one\n${number} secret`, fingerprint: 'ab' },
    ],
    suspects_status: 'pending',
    suspect_commits: [],
    answer_status: 'not_requested',
    model: null,
  }) as unknown as ResolutionAnswer

interface Opened {
  keeper: ResolutionKeeper
  store: ResolutionStore
  failures: unknown[]
  /** Lets what waits for a calm moment go on. */
  calm: () => void
  clock: { now: Date }
}

function open(t: Test, file = join(testFolder(t), 'jobs.sqlite')): Opened {
  const db = openJobsDatabase(file)
  const failures: unknown[] = []
  const calm = Promise.withResolvers<void>()
  const clock = { now: new Date('2026-01-01T00:00:00Z') }
  const store = new SqliteResolutionStore(db, new Transactions(db, null))
  const keeper = new ResolutionKeeper({
    store,
    redact: value => JSON.parse(JSON.stringify(value).replaceAll('secret', '[gone]')),
    untilCalm: () => calm.promise,
    onFailed: error => failures.push(error),
    retentionDays: 30,
    now: () => clock.now,
  })
  t.teardown(async () => {
    calm.resolve()
    await keeper.close()
    db.close()
  })
  return { keeper, store, failures, calm: calm.resolve, clock }
}

const later = (number: number, question: string | null = null) => ({
  id: idOf(number),
  question,
  stackTrace: `trace ${number} secret`,
  bytes: 100,
  answer: () => answer(number),
})

test('what waits for a calm moment is there for whoever asks, without its secrets, and is written when it ends', async t => {
  const { keeper, store, calm } = open(t)
  keeper.keepLater(later(1))
  t.match(await keeper.get(idOf(1)), { id: idOf(1), exceptions: [{}, { message: 'one\n1 [gone]' }] })
  t.equal(await store.get(idOf(1)), null, 'not yet')
  calm()
  await keeper.flush()
  t.match(await store.get(idOf(1)), { title: 'ValueError: one 1 [gone]', fingerprints: ['ab', 'cd'] })
  t.match(await keeper.get(idOf(1)), { id: idOf(1) })
})

test('an answer that was paid for is on the disk at once, and answers its question in another process', async t => {
  const file = join(testFolder(t), 'jobs.sqlite')
  const first = open(t, file)
  await first.keeper.keepNow(later(1, 'q'))
  const second = open(t, file)
  t.match(await second.keeper.answerTo('q'), { id: idOf(1) })
  t.equal(await second.keeper.answerTo('other'), null)
})

test('suspects that come later are added, whether the answer waits or is written', async t => {
  const { keeper, calm } = open(t)
  const found = (number: number) => ({ id: idOf(number), suspects_status: 'ok' as const, suspect_commits: [] })
  keeper.keepLater(later(1))
  await keeper.addSuspects(found(1))
  calm()
  await keeper.flush()
  await keeper.keepNow(later(2))
  await keeper.addSuspects(found(2))
  await keeper.addSuspects(found(3)) // nobody knows it: nothing happens
  t.match(await keeper.get(idOf(1)), { suspects_status: 'ok' })
  t.match(await keeper.get(idOf(2)), { suspects_status: 'ok' })
  t.equal(await keeper.get(idOf(3)), null)
})

test('what is added at the same time is all kept, also while the answer is being written', async t => {
  const { keeper } = open(t)
  const suspects = { id: idOf(1), suspects_status: 'ok' as const, suspect_commits: [] }
  const origin = { id: idOf(1), origin: 'flaky' as const, origin_why: 'By chance.' }
  const both = { suspects_status: 'ok', origin: 'flaky' }
  await keeper.keepNow(later(1))
  await Promise.all([keeper.addSuspects(suspects), keeper.addOrigin(origin)])
  t.match(await keeper.get(idOf(1)), both)
  keeper.keepLater(later(2))
  const written = keeper.flush()
  await Promise.all([keeper.addOrigin({ ...origin, id: idOf(2) }), keeper.addSuspects({ ...suspects, id: idOf(2) })])
  await written
  t.match(await keeper.get(idOf(2)), both)
})

test('so much that waits is written although there is no calm', async t => {
  const { keeper, store } = open(t)
  for (let number = 1; number <= 9; number++) keeper.keepLater({ ...later(number), bytes: 1_048_576 })
  keeper.keepLater(later(10))
  await new Promise<void>(resolve => {
    const look = (): void => {
      store.get(idOf(1)).then(found => (found === null ? setImmediate(look) : resolve()), t.fail)
    }
    look()
  })
  t.ok(await store.get(idOf(1)))
})

test('what is too old is forgotten; a store that fails costs nothing but what it was to keep', async t => {
  const { keeper, store, failures, clock } = open(t)
  await keeper.keepNow(later(1))
  clock.now = new Date('2026-01-31T00:00:01Z')
  await keeper.keepNow(later(2))
  await keeper.prune()
  t.equal(await store.get(idOf(1)), null)
  t.ok(await store.get(idOf(2)))
  store.put = async () => {
    throw new Error('full')
  }
  await keeper.keepNow(later(3))
  t.match(failures, [{ message: 'full' }])
})

test('what an answer was asked about is kept with it, without its secrets, unless it is a long log', async t => {
  const { keeper, store, calm } = open(t)
  keeper.keepLater(later(1))
  keeper.keepLater({ ...later(2), stackTrace: 'x'.repeat(131_073) })
  t.equal(await keeper.traceOf(idOf(1)), 'trace 1 [gone]', 'also before it is written')
  calm()
  await keeper.flush()
  t.equal(await keeper.traceOf(idOf(1)), 'trace 1 [gone]')
  t.notMatch(Buffer.from((await store.get(idOf(1)))?.trace ?? []).toString('latin1'), 'secret')
  t.equal(await keeper.traceOf(idOf(2)), null)
  t.equal(await keeper.traceOf(idOf(3)), null)
})
