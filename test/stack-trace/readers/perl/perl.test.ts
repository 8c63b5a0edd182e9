import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { runs } from '../../../helpers/property-runs.ts'
import { shown } from '../../../helpers/shown-trace.ts'

test('die and warn name a place; a warning stands apart', async t => {
  const found = summary(readTrace('perl-5.36-plain'))
  t.same(found[0], {
    head: 'separate null: Use of uninitialized value $unset in concatenation (.) or string',
    frames: ['plain.pl:8 null'],
  })
  t.same(found[1]?.frames, ['/srv/app/perl/lib/Cart.pm:14 null'])
  t.ok(parseStackTrace(readTrace('perl-5.36-plain')).exceptions.every(({ language }) => language === 'perl'))
})

test('confess: each line has the function it stands in, not the one it called', async t => {
  t.same(summary(readTrace('perl-5.36-confess')), [
    {
      head: 'root null: no till for Ann (the first)',
      frames: [
        'confess.pl:10 null',
        'confess.pl:7 main::main',
        'confess.pl:7 (eval)',
        '/srv/app/perl/lib/Cart.pm:20 Cart::checkout',
      ],
    },
  ])
})

test('croak, evaluated code, and errors of the compiler, whose last words are no failure of their own', async t => {
  t.same(summary(readTrace('perl-5.36-croak')), [{ head: 'root null: nothing to pay', frames: ['croak.pl:6 null'] }])
  t.same(summary(readTrace('perl-5.36-evalled')), [{ head: 'root null: in eval', frames: ['(eval 1):3 null'] }])
  t.same(
    summary(readTrace('perl-5.36-broken')).map(({ frames }) => frames),
    [['broken.pl:3 null'], ['broken.pl:4 null'], ['broken.pl:4 null']],
  )
  t.same(
    summary(readTrace('perl-5.36-missing')).map(({ head }) => head.split(' ', 1)[0]),
    ['root', 'separate'],
  )
})

test('failed tests have the place that the report names', async t => {
  t.same(summary(readTrace('perl-5.36-test')), [
    { head: "root null: Failed test 'adds up'", frames: ['t/cart.t:2 null'] },
    { head: 'root null: Failed test', frames: ['t/cart.t:3 null'] },
  ])
})

test('prose with "at … line" is no frame', async t => {
  for (const line of [
    'Failed to parse at line 3 column 5',
    'see you at home line 3.',
    'error at <unknown> line 12, column 3:',
  ]) {
    t.same(parseStackTrace(line).frames, [], line)
  }
})

const word = fc.stringMatching(/^[a-z_][a-z0-9_]{0,12}$/)
const frame = fc.record({
  file: word.map(name => `/srv/${name}.pm`),
  line: fc.integer({ min: 1, max: 99_999 }),
  name: word,
})

test('a rendered stack is read back as it was', async t => {
  fc.assert(
    fc.property(
      fc.uniqueArray(frame, { minLength: 2, maxLength: 20, selector: one => `${one.file}:${one.line}` }),
      wanted => {
        const [thrown, ...callers] = wanted
        const text = `no till at ${thrown?.file} line ${thrown?.line}.\n${callers.map(one => `\tShop::${one.name}("a", 1) called at ${one.file} line ${one.line}\n`).join('')}`
        const { exceptions, frames } = parseStackTrace(text)
        t.equal(exceptions[0]?.message, 'no till')
        t.same(
          frames.map(one => [one.file, one.line, one.function]),
          wanted
            .map((one, index) => [
              one.file,
              one.line,
              wanted[index + 1] === undefined ? null : `Shop::${wanted[index + 1]?.name}`,
            ])
            .toReversed(),
        )
      },
    ),
    { numRuns: runs(50) },
  )
})

test('a message that ended with a line break was raised again from another place', async t => {
  const found = summary(readTrace('perl-raised-again'))
  t.same(found[0], {
    head: 'root null: Can\'t locate object method "mutators" via package "Badger::Class::Methods"',
    frames: ['lib/Badger/Class.pm:247 null'],
  })
  t.ok(found.slice(1).every(({ head }) => head.startsWith('separate ')))
  t.same(found[5]?.frames, ['lib/Badger/Class/Methods.pm:26 null', '(eval 6):1 null'])
})

test('Devel::StackTrace, and evaluated code that says where it was evaluated', async t => {
  t.same(
    shown(
      [
        'Trace begun at lib/Till.pm line 12',
        "Till::open('Till=HASH(0x1)', 3) at lib/Shop.pm line 30",
        'main::pay at shop.pl line 4',
        'eval {...} at shop.pl line 3',
      ].join('\n'),
    ),
    [
      {
        head: 'root null: null',
        frames: ['shop.pl:3 -', 'shop.pl:4 (eval)', 'lib/Shop.pm:30 main::pay', 'lib/Till.pm:12 Till::open'],
      },
    ],
  )
  t.same(
    shown(
      [
        'no price at (eval 3) line 2.',
        '\tmain::total() called at (eval 3)[shop.pl:9] line 4',
        "\teval '...' called at shop.pl line 9",
      ].join('\n'),
    ),
    [{ head: 'root null: no price', frames: ['shop.pl:9 -', "shop.pl:9 eval '...'", '(eval 3):2 main::total'] }],
  )
})
