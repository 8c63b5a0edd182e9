import { test } from 'tap'
import { listed } from '../../src/text/listed.ts'

test('of many names the first ones are listed', async t => {
  t.equal(listed(['a', 'b']), 'a, b')
  t.match(listed(Array.from({ length: 25 }, (_, index) => String(index))), /19 and 5 more$/)
})
