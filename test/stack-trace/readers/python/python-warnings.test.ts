import { test } from 'tap'
import { shown } from '../../../helpers/shown-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

test('a warning has one frame and its code', async t => {
  t.same(shown(readTrace('python-3.13-warned')), [
    { head: 'root DeprecationWarning: pay is old, use new', frames: ['/srv/app/python/warned.py:10 - | old("pay")'] },
    {
      head: 'separate UserWarning: prices are rounded',
      frames: ['/srv/app/python/warned.py:6 - | warnings.warn("prices are rounded")'],
    },
  ])
})

test('a warning after an error is not the failure', async t => {
  const found = shown(
    'Traceback (most recent call last):\n  File "/srv/a.py", line 3, in f\nKeyError: 1\n\n' +
      '/srv/b.py:7: ResourceWarning: unclosed file\n',
  )
  t.same(
    found.map(({ head }) => head),
    ['root KeyError: 1', 'separate ResourceWarning: unclosed file'],
  )
})
