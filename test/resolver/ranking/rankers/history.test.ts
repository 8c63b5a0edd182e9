import { test } from 'tap'
import type { ChangeHistory } from '../../../../src/repos/history/changes.ts'
import { rankByHistory, type RepositoryHistory } from '../../../../src/resolver/ranking/rankers/history.ts'
import { DAY_S, FILES, historyOf, NOW } from '../history-of.ts'
import { queryOf, traceback } from './query-of.ts'

const TRACE = traceback('TypeError: unsupported operand', 'app/cart.py:2:total')

function rank(
  changes: ChangeHistory,
  { trace = TRACE, until = null }: { trace?: string; until?: RepositoryHistory['until'] } = {},
) {
  const { query, reader } = queryOf(trace, FILES)
  const repository = reader.files()[0]?.repository ?? ''
  return rankByHistory(query, reader, new Map([[repository, { changes, until }]]))
}

test('what changed together with a file of the trace comes in the order of how often', t => {
  const found = rank(
    historyOf(
      ['app/cart.py', 'app/money.py'],
      ['app/cart.py', 'app/gift.py'],
      ['web/page.py'],
      ['app/money.py', 'app/cart.py'],
      ['app/cart.py'],
    ),
  )
  t.same(
    found.map(({ path }) => path),
    ['app/money.py', 'app/gift.py'],
  )
  t.equal(found[0]?.why, 'changed together with app/cart.py in 2 of 4 commits')
  t.ok(found.every(({ score }) => score > 0 && score <= 1))
  t.end()
})

test('a commit of many files says less of each, and one that is long ago less than a new one', t => {
  const large = rank(
    historyOf(['app/cart.py', 'app/gift.py', 'app/hub.py', 'web/page.py'], ['app/cart.py', 'app/money.py']),
  )
  t.equal(large[0]?.path, 'app/money.py')
  const { paths, commits } = historyOf(['app/cart.py', 'app/gift.py'], ['app/cart.py', 'app/money.py'])
  const aged = rank({ paths, commits: commits.map((commit, i) => ({ ...commit, date: NOW - i * 1_500 * DAY_S })) })
  t.equal(aged[0]?.path, 'app/gift.py')
  t.end()
})

test('a commit dated to the future makes no other old', t => {
  const { paths, commits } = historyOf(...Array.from({ length: 12 }, () => ['app/cart.py', 'app/money.py']))
  const dated = [{ id: 'f'.repeat(40), date: 4_294_967_295, files: [] }, ...commits]
  t.same(rank({ paths, commits: dated }), rank({ paths, commits }))
  t.end()
})

test('once together in one commit is no proof, often is', t => {
  const [once] = rank(historyOf(['app/cart.py', 'app/money.py']))
  const [often] = rank(historyOf(...Array.from({ length: 12 }, () => ['app/cart.py', 'app/money.py'])))
  t.ok((often?.score ?? 0) > 1.3 * (once?.score ?? 1))
  t.end()
})

test('what the oldest commit wrote at once has no habit in common', t => {
  const { paths, commits } = historyOf(['app/cart.py', 'app/money.py'])
  t.same(rank({ paths, commits: commits.slice(0, 1) }, { until: Infinity }), [])
  t.end()
})

test('the nearer frame counts more', t => {
  const trace = traceback('TypeError: unsupported operand', 'app/hub.py:2:total', 'app/cart.py:2:total')
  const found = rank(historyOf(['app/hub.py', 'app/gift.py'], ['app/cart.py', 'app/money.py']), { trace })
  t.same(
    found.slice(0, 2).map(({ path }) => path),
    ['app/money.py', 'app/gift.py'],
  )
  t.end()
})

test('files that changed last are found, also by a text without frames; later changes than the failure are not', t => {
  const changes = historyOf(['app/gift.py'], [], ['app/money.py'], ['app/gift.py'])
  const trace = 'Error: no such cart\n'
  t.same(
    rank(changes, { trace, until: Infinity }).map(({ path, why }) => [path, why]),
    [
      ['app/gift.py', 'changed lately: by commit 000000000000, the last one'],
      ['app/money.py', 'changed lately: by commit 000000000000, one of the last 2'],
    ],
  )
  t.same(
    rank(changes, { trace, until: NOW - DAY_S }).map(({ path }) => path),
    ['app/money.py', 'app/gift.py'],
  )
  t.same(rank(changes, { trace, until: null }), [])
  t.end()
})

test('only files of the index are named, whatever a history says; without a history nothing is', t => {
  t.same(rank(historyOf(['app/cart.py', 'gone.py', '../../etc/passwd', '__proto__'])), [])
  t.same(rank({ paths: [], commits: [] }), [])
  const { query, reader } = queryOf(TRACE, FILES)
  t.same(rankByHistory(query, reader, new Map()), [])
  t.same(
    rankByHistory(
      query,
      reader,
      new Map([['another', { changes: historyOf(['app/cart.py', 'app/money.py']), until: Infinity }]]),
    ),
    [],
    'paths of one repository say nothing of another',
  )
  t.end()
})
