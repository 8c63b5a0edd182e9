import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { runs } from '../../../helpers/property-runs.ts'
import { shown } from '../../../helpers/shown-trace.ts'

test(
  'an uncaught error: its first line is the failing frame and holds message and type; code below it is ' +
    'source text',
  async t => {
    t.same(summary(readTrace('ruby-3.1-plain')), [
      {
        head: "root NoMethodError: undefined method `sum' for nil:NilClass",
        frames: ['plain.rb:7 <main>', 'plain.rb:4 main', '/srv/app/ruby/lib/cart.rb:7 total'],
      },
    ])
    t.same(summary(readTrace('ruby-3.4-plain'))[0]?.frames.slice(-2), [
      '/srv/app/ruby/plain.rb:4 Object#main',
      '/srv/app/ruby/lib/cart.rb:7 Cart#total',
    ])
    for (const version of ['3.1', '3.4']) {
      const { frames, exceptions } = parseStackTrace(readTrace(`ruby-${version}-plain`))
      t.equal(frames.at(-1)?.sourceText, '@lines.sum { |line| line.price }')
      t.equal(exceptions[0]?.language, 'ruby')
    }
  },
)

test('causes follow what they caused, each with its whole message', async t => {
  for (const version of ['3.1', '3.4']) {
    const found = summary(readTrace(`ruby-${version}-cause`))
    t.same(
      found.map(({ head }) => head.replace('`', "'").replace(':NilClass', '')),
      [
        'root ArgumentError: invalid value for Integer(): "x17"',
        'cause Cart::Empty: nothing to pay\nfor cart 17',
        "cause NoMethodError: undefined method 'sum' for nil",
      ],
      version,
    )
    t.same(found.map(({ frames }) => frames.at(-1)?.split(' ')[0]).slice(1), [
      '/srv/app/ruby/lib/cart.rb:13',
      '/srv/app/ruby/lib/cart.rb:7',
    ])
  }
  t.same(new Set(parseStackTrace(readTrace('ruby-3.1-cause')).exceptions.map(({ chain }) => chain)), new Set([0]))
})

test('recursion is one frame, the levels left out counted', async t => {
  t.same(summary(readTrace('ruby-3.1-recursion'))[0]?.frames, [
    'recursion.rb:2 <main>',
    '/srv/app/ruby/lib/cart.rb:17 walk ×10080',
  ])
  t.equal(summary(readTrace('ruby-3.4-recursion'))[0]?.frames.length, 5)
})

test('the same failure printed by a thread and by the main program is one', async t => {
  const found = summary(readTrace('ruby-3.1-thread'))
  t.same(
    found.map(({ head }) => head),
    ["root NoMethodError: undefined method `price' for 1:Integer ×2"],
  )
  t.same(found[0]?.frames.at(-1), '/srv/app/ruby/lib/cart.rb:7 block in total')
})

test('a file that cannot be read is the failing frame', async t => {
  t.same(summary(readTrace('ruby-3.1-syntax'))[0]?.frames, [
    'syntax.rb:1 <main>',
    'syntax.rb:1 require_relative',
    '/srv/app/ruby/broken.rb:3 null',
  ])
})

test('a report of minitest: an assertion has its place, an error its frames', async t => {
  const found = summary(readTrace('ruby-3.1-minitest'))
  t.same(found[0], {
    head: 'root Failure: Expected: 2\nActual: 0',
    frames: ['test/cart_test.rb:6 CartTest#test_adds_up'],
  })
  t.equal(found[1]?.head, "root NoMethodError: undefined method `price' for 1:Integer")
  t.same(found[1]?.frames[0], 'test/cart_test.rb:10 test_has_prices')
})

test('numbered callers (2.5 to 2.7) run from the outside in already', async t => {
  const text =
    "Traceback (most recent call last):\n\t2: from /srv/app/a.rb:9:in `<main>'\n" +
    "\t1: from /srv/app/a.rb:5:in `open'\n/srv/app/lib/b.rb:2:in `sell': no till (Shop::Closed)\n"
  t.same(summary(text), [
    {
      head: 'root Shop::Closed: no till',
      frames: ['/srv/app/a.rb:9 <main>', '/srv/app/a.rb:5 open', '/srv/app/lib/b.rb:2 sell'],
    },
  ])
})

test('a console prints the error last, without a place', async t => {
  t.same(summary(readTrace('irb-2.6-reversed')), [
    {
      head: "root NameError: undefined local variable or method `hoge' for main:Object",
      frames: [
        '/(Path where Ruby is installed)/irb:23 <main>',
        '/(Path where Ruby is installed)/irb:23 load',
        '/(Path where Ruby is installed)/irb:11 <top (required)>',
        '(irb):1 null',
        '(irb):2 rescue in irb_binding',
      ],
    },
  ])
})

const word = fc.stringMatching(/^[a-z_][a-z0-9_]{0,12}$/)
const frame = fc.record({
  file: fc.array(word, { minLength: 1, maxLength: 5 }).map(parts => `/${parts.join('/')}.rb`),
  line: fc.integer({ min: 1, max: 99_999 }),
  name: word,
})

test('a rendered backtrace of any version is read back as it was, reversed', async t => {
  const frames = fc.uniqueArray(frame, { minLength: 2, maxLength: 20, selector: one => `${one.file}:${one.line}` })
  fc.assert(
    fc.property(frames, fc.constantFrom('`', "'"), (wanted, quote) => {
      const rows = wanted.map(one => `${one.file}:${one.line}:in ${quote}${one.name}'`)
      const { exceptions, frames: got } = parseStackTrace(
        `${rows[0]}: out of stock (Shop::Error)\n${rows
          .slice(1)
          .map(row => `\tfrom ${row}\n`)
          .join('')}`,
      )
      t.ok(exceptions.length === 1 && exceptions[0]?.type === 'Shop::Error' && exceptions[0].message === 'out of stock')
      t.same(
        got.map(one => [one.file, one.line, one.function]),
        wanted.toReversed().map(one => [one.file, one.line, one.name]),
      )
    }),
    { numRuns: runs(50) },
  )
})

test('a reversed trace that follows another was caused by it; a cut row belongs to no message', async t => {
  const one = (name: string): string =>
    `\t1: from /srv/main.rb:2:in \`main'\n/srv/${name}.rb:3:in \`open': no ${name} (RuntimeError)\n`
  t.same(
    summary(`${one('till')}${one('shop')}`).map(({ head }) => head),
    ['cause RuntimeError: no till', 'root RuntimeError: no shop'],
  )
  t.same(summary(`${one('till')}\t5: from /srv/main.rb:9:in \`again'\n`)[0]?.head, 'root RuntimeError: no till')
})

test('a test that was skipped and a warning are no failures of their own', async t => {
  t.same(shown(['  1) Skipped:', 'TestTill#test_opens [/srv/app/test/till_test.rb:9]:', 'not today'].join('\n')), [
    { head: 'separate Skipped: not today', frames: ['/srv/app/test/till_test.rb:9 TestTill#test_opens'] },
  ])
  t.same(shown("/srv/app/till.rb:9:in `open': warning: old"), [
    { head: 'separate null: warning: old', frames: ['/srv/app/till.rb:9 open'] },
  ])
})
