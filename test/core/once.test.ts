import { test } from 'tap'
import { once } from '../../src/core/once.ts'

test('a value is made when it is asked for, and never again, whatever it is', t => {
  let made = 0
  const value = once(() => {
    made++
    return undefined
  })
  t.equal(made, 0)
  t.equal(value(), undefined)
  t.equal(value(), undefined)
  t.equal(made, 1)
  t.end()
})
