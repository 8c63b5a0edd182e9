import { test } from 'tap'
import type { MarkedLine } from '../../../src/core/resolution.ts'
import type { ChangesSince, ChangesSinceSearch } from '../../../src/repos/history/changes-since.ts'
import { findPast, linesTogether } from '../../../src/resolver/answer/changed-since.ts'

const id = (digit: string) => digit.repeat(40)
const SINCE = { tip: id('f'), startLine: 1, endLine: 9 }
const NO_SUSPECTS = async () => ({ status: 'ok' as const, changes: [] })

const marked = (path: string, line: number, { repository = 'shop', since = SINCE as MarkedLine['since'] } = {}) => ({
  repository,
  path,
  line,
  commit: id('a'),
  weight: 1,
  failing: line === 1,
  ...(since === undefined ? {} : { since }),
})

const change = (digit: string, day: number): NonNullable<ChangesSince['changes']>[number] => ({
  commit: id(digit),
  date: `2026-03-0${day}T00:00:00.000Z`,
  summary: digit,
  path: 'a.py',
  lines: [1],
})

async function past(lines: MarkedLine[], answer: (search: ChangesSinceSearch) => ChangesSince) {
  const asked: ChangesSinceSearch[] = []
  const find = findPast({
    suspects: NO_SUSPECTS,
    changesSince: async search => {
      asked.push(search)
      return answer(search)
    },
  })
  return { asked, found: await find({ lines, tracedAt: null }) }
}

test('where the code is read at the indexed commit nothing is asked or told', async t => {
  const line = marked('a.py', 1)
  const { since: _since, ...atTip } = line
  const { asked, found } = await past([atTip], () => {
    throw new Error('asked')
  })
  t.same(asked, [])
  t.same(found, { suspectCommits: [], suspectsStatus: 'ok' })
})

test('the nearest places of each repository are asked for, and what is found is told newest first', async t => {
  const lines = [1, 2, 3, 4, 5, 6].map(line => marked(`${line}.py`, line, { repository: line === 2 ? 'lib' : 'shop' }))
  const { asked, found } = await past(lines, ({ repository }) => ({
    status: 'ok',
    changes: repository === 'lib' ? [change('2', 2)] : [change('3', 3), change('1', 1)],
    failingLineGone: repository === 'shop',
  }))
  t.match(asked, [
    {
      repository: 'shop',
      commit: id('a'),
      tip: id('f'),
      places: [{ path: '1.py', line: 1, startLine: 1, endLine: 9, failing: true }, { path: '3.py' }, {}, {}],
    },
    { repository: 'lib', places: [{ path: '2.py' }] },
  ])
  t.equal(asked[0]?.places.length, 4)
  t.match(found, { changedSince: [{ summary: '3' }, { summary: '2' }, { summary: '1' }], failingLineGone: true })
})

test('what is not known is left out, and the status says why', async t => {
  const unknown = { changes: null, failingLineGone: false }
  const late = await past([marked('a.py', 1)], () => ({ ...unknown, status: 'timed_out' }))
  t.same(late.found, { suspectCommits: [], suspectsStatus: 'timed_out' })
  const part = await past([marked('a.py', 1)], () => ({ ...unknown, changes: [change('1', 1)], status: 'timed_out' }))
  t.match(part.found, { suspectsStatus: 'timed_out', changedSince: [{}], failingLineGone: false })
  const none = await past([marked('a.py', 1)], () => ({ ...unknown, changes: [], status: 'ok' }))
  t.same(none.found, { suspectCommits: [], suspectsStatus: 'ok', changedSince: [], failingLineGone: false })
})

test('a line belongs together with its function, or with the lines around it', async t => {
  const scope = { name: 'f', kind: 'function' as const, startLine: 5, leadLine: 4, endLine: 9, parent: null }
  const outline = { scopes: [scope], imports: [] }
  t.same(linesTogether(outline, 7), { startLine: 4, endLine: 9 })
  t.same(linesTogether(outline, 20), { startLine: 17, endLine: 23 })
  t.same(linesTogether(null, 2), { startLine: 1, endLine: 5 })
  const inClass = { scopes: [{ ...scope, kind: 'class' as const }], imports: [] }
  t.same(linesTogether(inClass, 7), { startLine: 4, endLine: 10 }, 'a class is too much')
})
