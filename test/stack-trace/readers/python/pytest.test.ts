import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { shown } from '../../../helpers/shown-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'

const HEADS = [
  "root ModuleNotFoundError: No module named 'missing_module'",
  "root AssertionError: assert 6 == 7\n +  where 6 = total([{'count': 2, 'price': 3}])",
  "root KeyError: 'price'",
  "cause KeyError: 'price'",
  'root RuntimeError: cannot pay',
  'root AssertionError: 1 != 2 : sum',
  'root ValueError: nothing to pay\nfor cart C-17',
]

test('long and short reports: one failure a test, causes included, with code and functions', async t => {
  for (const style of ['long', 'short']) {
    const found = shown(readTrace(`pytest-9-${style}`))
    t.same(
      found.map(({ head }) => head),
      HEADS,
      style,
    )
    t.same(found[1]?.frames, ['test_shop.py:15 test_total | assert total(lines) == 7'], style)
    t.same(
      found[2]?.frames.map(frame => frame.replace(/ \S+ \|/, ' |')),
      [
        'test_shop.py:19 | total(cart)',
        'shop.py:2 | return sum(price(line) for line in lines)',
        'shop.py:2 | return sum(price(line) for line in lines)',
        'shop.py:6 | return line["count"] * line["price"]',
      ],
      style,
    )
  }
})

test('the short report names each function', async t => {
  t.same(
    shown(readTrace('pytest-9-short'))[2]?.frames.map(frame => frame.split(' ')[1]),
    ['test_price', 'total', '<genexpr>', 'price'],
  )
})

test('a line a failure, and the summary alone', async t => {
  t.same(
    shown(readTrace('pytest-9-line')).map(({ frames }) =>
      frames
        .at(-1)
        ?.replace('/srv/app/python/', '')
        .replace(/.*unittest/, 'unittest'),
    ),
    [
      'test_broken.py:1 <module> | import missing_module',
      'test_shop.py:15 -',
      'shop.py:6 -',
      undefined,
      'test_shop.py:26 -',
      'unittest/case.py:866 -',
      'shop.py:11 -',
    ],
  )
  t.same(shown(readTrace('pytest-9-no')).slice(1, 4), [
    { head: "root KeyError: 'price'", frames: ['test_shop.py:- test_price'] },
    { head: 'root RuntimeError: cannot pay', frames: ['test_shop.py:- test_checkout'] },
    { head: 'root AssertionError: 1 != 2 : sum', frames: ['test_shop.py:- TestCart.test_equal'] },
  ])
})

test('the summary after a report adds nothing', async t => {
  t.equal(
    parseStackTrace(readTrace('pytest-9-native')).exceptions.filter(({ type }) => type === 'RuntimeError').length,
    1,
  )
})

test('a rendered short report is read back as it was', async t => {
  const name = fc.stringMatching(/^[a-z_]{1,12}$/)
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ file: name, line: fc.integer({ min: 1, max: 9999 }), name }), {
        minLength: 1,
        maxLength: 10,
        selector: ({ file, line }) => `${file}:${line}`,
      }),
      wanted => {
        const rows = wanted.map(one => `src/${one.file}.py:${one.line}: in ${one.name}\n    call(${one.line})`)
        const { frames } = parseStackTrace(`____ test_x ____\n${rows.join('\n')}\nE   ValueError: no\n`)
        t.same(
          frames.map(frame => [frame.file, frame.line, frame.function, frame.sourceText]),
          wanted.map(one => [`src/${one.file}.py`, one.line, one.name, `call(${one.line})`]),
        )
      },
    ),
    { numRuns: runs(40) },
  )
})
