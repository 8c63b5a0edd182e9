import { test } from 'tap'
import { pathOf } from '../../src/core/path-of.ts'

test('a file URL becomes its path, any other address stays', async t => {
  t.equal(pathOf('file:///home/ada/My%20shop'), '/home/ada/My shop')
  for (const other of ['https://h/a.git', '/srv/a', 'git@h:a.git', 'file://host/a', 'file:///a%2Fb']) {
    t.equal(pathOf(other), other)
  }
})
