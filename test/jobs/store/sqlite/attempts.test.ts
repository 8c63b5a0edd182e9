import { test } from 'tap'
import { Attempts } from '../../../../src/jobs/store/sqlite/attempts.ts'

test('only the run that claimed a job last is its latest', async t => {
  const attempts = new Attempts()
  const first = attempts.begin(7)
  const other = attempts.begin(8)
  t.same(first, { seq: 7, attempt: 1 })
  t.ok(attempts.isLatest(first))
  const second = attempts.begin(7)
  t.notOk(attempts.isLatest(first))
  t.throws(() => attempts.check(first), /another run/)
  attempts.check(second)
  t.ok(attempts.isLatest(other), 'each job has attempts of its own')
})

test('a job that was forgotten has no run', async t => {
  const attempts = new Attempts()
  const run = attempts.begin(1)
  attempts.forget(1)
  t.throws(() => attempts.check(run), /another run/)
  t.notOk(attempts.isLatest({ seq: 2, attempt: 1 }))
})
