import fc from 'fast-check'
import { test } from 'tap'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { runs } from '../../../helpers/property-runs.ts'

test('a call stack: a place is in the function that the next row names, outermost first', async t => {
  const text =
    'shop: Prelude.head: empty list\nCallStack (from HasCallStack):\n' +
    '  error, called at libraries/base/GHC/List.hs:1646:3 in base:GHC.List\n' +
    '  badHead, called at src/Cart.hs:12:7 in main:Cart\n  first, called at app/Main.hs:30:9 in main:Main\n'
  t.same(readExceptions(text), [
    {
      head: 'root null: Prelude.head: empty list',
      frames: [
        'null app/Main.hs:30:9',
        'Cart.first src/Cart.hs:12:7',
        'GHC.List.badHead libraries/base/GHC/List.hs:1646:3',
      ],
    },
  ])
  t.same(languagesOf(text), ['haskell'])
})

test('the message has several lines, and no line of a log before it', async t => {
  const text =
    'INFO open\nshop: no till\nfor order 7\nCallStack (from HasCallStack):\n' +
    '  error, called at <interactive>:8:1 in interactive:Ghci3\nnext'
  t.same(readExceptions(text), [{ head: 'root null: no till\nfor order 7', frames: ['null <interactive>:8:1'] }])
  t.same(readExceptions('CallStack (from HasCallStack):\nnothing'), [])
})

const name = fc.stringMatching(/^[a-z][a-zA-Z0-9']{0,8}$/)

test('rendered calls are read back, reversed', async t => {
  fc.assert(
    fc.property(
      fc.uniqueArray(
        fc.record({ name, line: fc.integer({ min: 1, max: 9999 }), column: fc.integer({ min: 1, max: 200 }) }),
        { minLength: 1, maxLength: 12, selector: one => one.line },
      ),
      calls => {
        const text = `shop: no\nCallStack (from HasCallStack):\n${calls
          .map(call => `  ${call.name}, called at src/Till.hs:${call.line}:${call.column} in ` + 'shop-0.1:Shop.Till\n')
          .join('')}`
        t.same(readExceptions(text), [
          {
            head: 'root null: no',
            frames: calls
              .map(
                (call, at) =>
                  `${calls[at + 1] === undefined ? null : `Shop.Till.${calls[at + 1]?.name}`} src/Till.hs:${call.line}:${call.column}`,
              )
              .toReversed(),
          },
        ])
      },
    ),
    { numRuns: runs(60) },
  )
})
