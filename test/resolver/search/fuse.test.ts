import { test } from 'tap'
import { ask } from './search-in.ts'

test('each file counts with its best place, a further place half of that', async t => {
  const files = { 'a.py': 'needle one\nhay\nneedle needle needle\n', 'b.py': 'needle\n' }
  const { hits } = await ask('needle', { files, size: 1 })
  t.same(
    hits
      .map(({ path }) => path)
      .slice(0, 2)
      .sort(),
    ['a.py', 'b.py'],
  )
  const [, , third] = hits
  t.ok(third !== undefined && third.path === 'a.py' && third.score <= (hits[0]?.score ?? 0) / 2)
  t.same(
    hits.map(({ score }) => score),
    hits.map(({ score }) => score).sort((a, b) => b - a),
  )
  t.equal((await ask('needle', { files, size: 1, limit: 1 })).hits.length, 1)
})
