import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'
import { runs } from '../../../helpers/property-runs.ts'
import { shown } from '../../../helpers/shown-trace.ts'

test('the long form: type from the category, message above the place, code below it', async t => {
  const text = readTrace('powershell-5-binding')
  t.same(summary(text), [
    {
      head:
        "root ParameterBindingValidationException: Cannot bind argument to parameter 'Path' because it is an " +
        'empty string.',
      frames: ['C:\\ProgramData\\Run_in_Sandbox\\RunInSandbox.ps1:18:39 null'],
    },
    {
      head:
        "root ParameterBindingValidationException: Cannot bind argument to parameter 'Path' because it is an " +
        'empty string.',
      frames: ['C:\\ProgramData\\Run_in_Sandbox\\RunInSandbox.ps1:19:29 null'],
    },
  ])
  t.equal(parseStackTrace(text).frames[1]?.sourceText, '$DirectoryName = (get-item $ScriptPath).DirectoryName')
})

test('a script that cannot be read: what is wrong stands below the code', async t => {
  t.same(
    summary(readTrace('powershell-5-unreadable')).map(({ head }) => head),
    [
      "root error: Unexpected token '-ErrorAction' in expression or statement.",
      "root ParseException: Unexpected token 'SilentlyContinue' in expression or statement.",
    ],
  )
  t.same(
    summary("At line:1 char:7\n+ Param()\n+       ~\nAn expression was expected after '('.\n").map(
      ({ frames }) => frames,
    ),
    [['null:1:7 null']],
    'what was typed has no file',
  )
})

test('the concise form, also where a terminal wrapped the code', async t => {
  t.same(summary(readTrace('powershell-7-concise')), [
    {
      head: "root Write-Error: A positional parameter cannot be found that accepts argument 'System.Object[]'.",
      frames: ['C:\\source\\github\\signalfx-powershell\\src\\classes.organization.ps1:73 null'],
    },
  ])
})

test('of two errors in the concise form without a line between them each keeps its own', async t => {
  const concise = (line: number, said: string): string =>
    `Get-Item: C:\\till.ps1:${line}\nLine |\n   ${line} |  Get-Item $path\n     |  ~~~~~~~~~~~~~~ ${said}\n`
  t.same(
    summary(concise(3, 'There is no a.') + concise(7, 'There is no b.')).map(({ head, frames }) => [head, ...frames]),
    [
      ['root Get-Item: There is no a.', 'C:\\till.ps1:3 null'],
      ['root Get-Item: There is no b.', 'C:\\till.ps1:7 null'],
    ],
  )
})

test('a rendered script stack is read back as it was, reversed', async t => {
  const name = fc.stringMatching(/^[A-Z][a-z]{1,8}-[A-Z][a-z]{1,8}$/)
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.record({ name, line: fc.integer({ min: 1, max: 99_999 }) }), {
        minLength: 1,
        maxLength: 10,
        selector: one => one.line,
      }),
      wanted => {
        const { frames } = parseStackTrace(
          `no till\n${wanted
            .map(one => `at ${one.name}, C:\\shop\\till.ps1: line ` + `${one.line}\n`)
            .join('')}at <ScriptBlock>, <No file>: line 1\n`,
        )
        t.same(
          frames.map(one => [one.file, one.line, one.function]),
          [[null, 1, null], ...wanted.toReversed().map(one => ['C:\\shop\\till.ps1', one.line, one.name])],
        )
      },
    ),
    { numRuns: runs(50) },
  )
})

test('a script block that was typed has no file and no name', async t => {
  t.same(shown(['at <ScriptBlock>, <No file>: line 1', 'at Open-Till, C:\\till.ps1: line 9'].join('\n')), [
    { head: 'root error: null', frames: ['C:\\till.ps1:9 Open-Till', '-:1 -'] },
  ])
})
