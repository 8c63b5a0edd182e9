import { test } from 'tap'
import { counted } from '../../../src/pipelines/steps/counted.ts'

test('a noun is in the plural unless there is exactly one', async t => {
  t.same(
    [0, 1, 2].map(count => counted(count, 'line')),
    ['0 lines', '1 line', '2 lines'],
  )
})
