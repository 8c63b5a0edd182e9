import { test } from 'tap'
import { historiesOf } from '../../../src/resolver/ranking/histories.ts'
import { memoryCodeReader } from '../../fakes/memory-code-reader.ts'
import { DAY_S, FILES, historyOf, NOW } from './history-of.ts'

test('a history counts up to the commit asked for and the time of the trace', async t => {
  const reader = memoryCodeReader(FILES)
  const [{ repository, commit } = { repository: '', commit: '' }] = reader.manifest.repositories
  const changes = historyOf(['app/cart.py'], ['app/money.py'], ['app/gift.py'])
  const asked: string[][] = []
  const readChanges = async (...names: [string, string]) => {
    asked.push(names)
    return changes
  }
  const untilFor = async (at: string | null, tracedAt: number | null) =>
    (
      await historiesOf(reader, {
        readChanges,
        ...(at === null ? {} : { commits: new Map([[repository, at]]) }),
        tracedAt,
      })
    ).get(repository)?.until
  t.equal(await untilFor(null, null), Infinity)
  t.equal(await untilFor(commit, null), Infinity)
  t.equal(await untilFor(changes.commits[1]?.id ?? '', null), NOW - DAY_S)
  t.equal(await untilFor('e'.repeat(40), null), null, 'nobody knows when that was')
  t.equal(await untilFor(null, (NOW - 5 * DAY_S) * 1000), NOW - 4 * DAY_S, 'a day later: clocks differ')
  t.ok(asked.every(([name, of]) => name === repository && of === commit))
  t.equal((await historiesOf(reader, { readChanges: async () => null, tracedAt: null })).size, 0)
})
