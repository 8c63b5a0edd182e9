import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { runs } from '../../../helpers/property-runs.ts'

test('diagnostics plain and beside a bar: block, code, title and what is said below it', async t => {
  for (const name of ['terraform-1.11-plain', 'terraform-1.11-boxed']) {
    t.same(
      summary(readTrace(name)),
      [
        {
          head: 'root Error: Invalid function argument\nInvalid value for "str" parameter: string required.',
          frames: ['main.tf:3 locals'],
        },
        {
          head:
            'root Error: Reference to undeclared local value\n' +
            'A local value with the name "tills" has not been declared.',
          frames: ['main.tf:7 output "till"'],
        },
      ],
      name,
    )
    const { frames, exceptions } = parseStackTrace(readTrace(name))
    t.same(
      frames.map(({ sourceText }) => sourceText),
      ['total = upper(local.shops)', 'value = local.tills'],
    )
    t.same(
      exceptions.map(({ language }) => language),
      ['hcl', 'hcl'],
    )
  }
})

test('a warning stands beside the errors; a place may be in a module and follow a resource', async t => {
  t.same(
    summary(
      '│ Warning: Deprecated\n│ \n│   with module.till,\n' +
        '│   on .terraform/modules/till/main.tf line 4, in resource "a" "b":\n│    4:   x = 1\n│ \n│ Use y.\n' +
        '╵\n',
    ),
    [{ head: 'separate Warning: Deprecated\nUse y.', frames: ['.terraform/modules/till/main.tf:4 resource "a" "b"'] }],
  )
})

test('a rendered diagnostic is read back as it was', async t => {
  const word = fc.stringMatching(/^[a-z]{2,10}$/)
  fc.assert(
    fc.property(word, fc.integer({ min: 1, max: 99_999 }), word, (file, line, title) => {
      t.same(
        summary(`Error: ${title}\n\n  on ${file}.tf line ${line}, in locals:\n  ${line}:   a = b\n\nNo ${title}.\n`),
        [{ head: `root Error: ${title}\nNo ${title}.`, frames: [`${file}.tf:${line} locals`] }],
      )
    }),
    { numRuns: runs(50) },
  )
})
