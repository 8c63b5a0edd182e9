import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { cloned, numbered, TEN_DAYS_S } from './search-in.ts'

test('the commit at which a history was cut off did not write what is older', async t => {
  const old = 1_500_000_000
  const { search, commit, clones } = await cloned(t, {
    build(made) {
      for (let round = 0; round < 60; round++) {
        made.commit({ 'src/a.py': numbered({ 5: `old ${round}` }) }, { date: old + round * TEN_DAYS_S })
      }
      return made.commit({ 'src/a.py': numbered({ 5: 'old 59', 6: 'new' }) }, { message: 'Write the new line' })
    },
  })
  t.ok(existsSync(join(clones, 'shop', 'shallow')), 'the history is not whole')
  const { status, changes } = await search({
    repository: 'shop',
    commit,
    ranges: [{ path: 'src/a.py', lines: [1, 6], failing: [1] }],
  })
  t.equal(status, 'ok')
  t.same(
    changes.map(({ summary, lines }) => ({ summary, lines })),
    [{ summary: 'Write the new line', lines: [6] }],
  )
})
