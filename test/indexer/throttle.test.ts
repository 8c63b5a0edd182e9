import { test } from 'tap'
import { throttled, type IndexProgress } from '../../src/indexer/throttle.ts'

test('ten reports a second come through, and the first and the last of each phase', async t => {
  let now = 0
  const seen: string[] = []
  const report = throttled(
    ({ phase, done }) => seen.push(`${phase} ${done}`),
    () => now,
  )
  const tell = (phase: IndexProgress['phase'], done: number, at: number) => {
    now = at
    report({ phase, done, total: 9 })
  }
  tell('files', 0, 0)
  tell('files', 1, 99)
  tell('files', 2, 100)
  tell('files', 3, 150)
  tell('files', 9, 151)
  tell('storing', 1, 152)
  tell('storing', 2, 153)
  t.same(seen, ['files 0', 'files 2', 'files 9', 'storing 1'])
})
