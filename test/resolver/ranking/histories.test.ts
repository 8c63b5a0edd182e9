import { test } from 'tap'
import type { ChangeHistory } from '../../../src/repos/history/changes.ts'
import { historiesOf } from '../../../src/resolver/ranking/histories.ts'
import { memoryCodeReader } from '../../fakes/memory-code-reader.ts'

const FILES = Object.fromEntries(
  ['app/cart.py', 'app/money.py', 'app/gift.py', 'app/hub.py', 'web/page.py'].map(path => [
    path,
    'def total():\n    return 1\n',
  ]),
)

const DAY_S = 86_400

const NOW = 1_700_000_000

/** One commit a day, the newest first, by the files that it changed; and before them the one that wrote all. */
function historyOf(...changed: string[][]): ChangeHistory {
  const paths = [...new Set(changed.flat())]
  return {
    paths,
    commits: [...changed, paths].map((files, i) => ({
      id: String(i).padStart(40, '0'),
      date: NOW - i * DAY_S,
      files: files.map(path => paths.indexOf(path)),
    })),
  }
}

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
