import fc from 'fast-check'
import { test } from 'tap'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { runs } from '../../../helpers/property-runs.ts'

test('a failed assertion has its place in brackets behind the message, in the log of sbt and without it', async t => {
  for (const margin of ['[info] ', '[error] ', '']) {
    const text = [
      'FooSpec:',
      '- should pop',
      '- should throw if empty *** FAILED *** (12 milliseconds)',
      '  Expected an exception,',
      '  but none was thrown (FooSpec.scala:18)',
      '- should push',
    ]
      .map(line => `${margin}${line}\n`)
      .join('')
    t.same(
      readExceptions(text),
      [{ head: 'root null: Expected an exception,\nbut none was thrown', frames: ['null FooSpec.scala:18'] }],
      margin,
    )
    t.same(languagesOf(text), ['scala'], margin)
  }
  t.same(
    readExceptions("[error]   x insert a document\n[error]    'a' doesn't match '[0-9]' (DatabaseSpec.scala:118)\n"),
    [{ head: "root null: 'a' doesn't match '[0-9]'", frames: ['null DatabaseSpec.scala:118'] }],
  )
})

test('where a stack follows, the message is its', async t => {
  const text =
    '[info] - must count *** FAILED ***\n[info]   84 did not equal 42 (CartSpec.scala:20)\n' +
    '[info]   at org.scalatest.Assertions.fail(Assertions.scala:1879)\n' +
    '[info]   at shop.CartSpec.count(CartSpec.scala:20)\n'
  t.same(readExceptions(text), [
    {
      head: 'root null: 84 did not equal 42 (CartSpec.scala:20)',
      frames: ['shop.CartSpec.count CartSpec.scala:20', 'org.scalatest.Assertions.fail Assertions.scala:1879'],
    },
  ])
})

test('rendered failures are read back', async t => {
  const word = fc.stringMatching(/^[a-z]{1,10}$/)
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ said: word, line: fc.integer({ min: 1, max: 9999 }) }), {
        minLength: 1,
        maxLength: 8,
        selector: one => one.line,
      }),
      failures => {
        const text = failures
          .map(
            ({ said, line }) =>
              `[info] - should ${said} *** FAILED ***\n[info]   ${said} was null (Spec.scala:${line})\n`,
          )
          .join('')
        t.same(
          readExceptions(text),
          failures.map(({ said, line }) => ({
            head: `root null: ${said} was null`,
            frames: [`null Spec.scala:${line}`],
          })),
        )
      },
    ),
    { numRuns: runs(50) },
  )
})
