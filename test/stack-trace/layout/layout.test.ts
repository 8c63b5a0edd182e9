import fc from 'fast-check'
import { test } from 'tap'
import { withoutLayout as laidOut } from '../../../src/stack-trace/layout/layout.ts'
import { readTrace, traceNames } from '../../helpers/trace-fixtures.ts'
import { summary } from '../../helpers/trace-summary.ts'
import { runs } from '../../helpers/property-runs.ts'

const withoutLayout = (lines: string[]): string[] => laidOut(lines).lines

test('a blank line after each line of a trace goes', async t => {
  t.same(summary(readTrace('python-double-spaced')), [
    { head: 'root OSError: [Errno 14] Bad address', frames: ['/usr/lib/python2.7/subprocess.py:1343 _execute_child'] },
  ])
  const prose = ['one', '', 'two', '', 'three', '', 'File "a.py", line 3 is long', '', 'four', '']
  t.same(withoutLayout(prose), prose)
})

test('a box around a log goes when a trace is in it; a table stays', async t => {
  t.same(
    withoutLayout([
      '│ Traceback (most recent call last):   │',
      '│   File "a.py", line 3, in f          │',
      '│     g()                              │',
    ]),
    ['Traceback (most recent call last):', '  File "a.py", line 3, in f', '    g()'],
  )
  for (const table of [
    ['| a | b |', '| 1 | 2 |'],
    ['│ /srv/a.py:3 in f │', '│ ❱ 3 f()          │'],
  ]) {
    t.same(withoutLayout(table), table)
  }
})

test('the quotes of inline code around a log go; those of a message stay', async t => {
  t.same(
    summary(readTrace('python-unindented-carets')).map(({ head }) => head),
    ["root TypeError: handle_state_change() missing 2 required positional arguments: 'old_state' and 'new_state' ×2"],
  )
  t.same(withoutLayout(['`KeyError: 1', '`', 'thanks']), ['KeyError: 1', '', 'thanks'])
  for (const wrapped of [
    ['/srv/a.rb:5:in', "`block in find'", 'a log in `code`'],
    ['`a quote that', 'nobody closes'],
  ]) {
    t.same(withoutLayout(wrapped), wrapped)
  }
  for (const line of ["`open': no till (RuntimeError)", "undefined method `total'", '```', '`']) {
    t.same(withoutLayout([line]), [line])
  }
})

test('a clean trace stays as it is', async t => {
  for (const name of traceNames().filter(one => /^(?:node-2|python-3|java-|go-|rust-|ruby-)/.test(one))) {
    const lines = readTrace(name).split('\n')
    t.same(withoutLayout(lines), lines, name)
  }
})

test('it never throws and loses nothing but blank lines', async t => {
  const line = fc.oneof(
    fc.constantFrom('', '`', '│ a │', '| a |', '  File "a.py", line 1, in f', '`x', 'y`'),
    fc.string().map(text => text.replaceAll('\n', '')),
  )
  fc.assert(
    fc.property(fc.array(line), lines => {
      const words = (texts: string[]): string => texts.join('').replace(/[\s`│|]/g, '')
      return words(withoutLayout(lines)) === words(lines)
    }),
    { numRuns: runs(300) },
  )
  t.pass('300 texts')
})
