import { test } from 'tap'
import { openFileLimit } from '../../src/core/open-files.ts'

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max processes             96350                96350                processes
Max open files            ${soft.padEnd(20)} 1048576              files
Max locked memory         8388608              8388608              bytes
`

test('the limit of open files is what the system says, or what it usually is', async t => {
  t.equal(openFileLimit(limits('256')), 256)
  t.equal(openFileLimit(limits('unlimited')), Infinity)
  t.equal(openFileLimit(''), 1024)
  t.ok(openFileLimit() > 0)
})
