import fc from 'fast-check'
import { test } from 'tap'
import { githubCommands } from '../../../src/text/ci/github.ts'
import { frame } from '../../helpers/answers.ts'
import { elsewhere, fault, faultOf, report, source } from '../../helpers/ci-report.ts'
import { runs } from '../../helpers/property-runs.ts'
import { workflowCommands } from '../../helpers/workflow-commands.ts'

test('the failing line is an error, likely causes are a warning and notices with their range', async t => {
  const sources = [
    source(),
    source({ path: 'src/a,b:c.js', start_line: 3, end_line: 4, why: 'was changed: 100%' }),
    source({ path: 'src/app.js', start_line: 1, end_line: 9 }),
    source({ path: 'other.js', repository: 'tools' }),
    source({ path: 'src/app.js', reason: 'frame' as never }),
  ]
  const output = githubCommands(report([fault({ sources })]))
  t.equal(
    output.split('\n')[0],
    '::error file=src/app.js,line=4,endLine=4,title=TypeError%3A no price::' +
      'TypeError: no price%0ARaised at src/app.js:4 in f.%0A' +
      'The cause may be in src/prices.js:1-9 (defines b), src/a,b:c.js:3-4 (was changed: 100%25).',
  )
  t.strictSame(workflowCommands(output).slice(1), [
    {
      command: 'warning',
      properties: { file: 'src/prices.js', line: '1', endLine: '9', title: 'A likely cause' },
      data: 'The cause of "TypeError: no price" may be here: defines b',
    },
    {
      command: 'notice',
      properties: { file: 'src/a,b:c.js', line: '3', endLine: '4', title: 'A likely cause' },
      data: 'The cause of "TypeError: no price" may be here: was changed: 100%',
    },
  ])
})

test('callers are likely causes, too; what other faults go through, and what is not likely, is none', async t => {
  const own = { in_project: true, repository: 'shop' }
  const frames = [
    frame({ ...own, index: 0, path: 'src/main.js', code_line: 3 }),
    frame({ ...own, index: 1, path: 'src/main.js', code_line: 8 }),
    frame({ ...own, index: 2, path: 'src/main.js', code_line: 80 }),
    frame({ ...own, index: 3, path: 'src/app.js', code_line: 4 }),
  ]
  const traced = { reason: 'frame' as const, start_line: 1, end_line: 20 }
  const sources = [
    source({ ...traced, path: 'src/app.js', why: 'failing frame' }),
    source({ ...traced, path: 'src/main.js', why: 'a caller', score: 0.15 }),
    source({ ...traced, path: 'src/another-fault.js' }),
    source({ ...traced, path: 'src/main.js', score: 0.05 }),
    source({ path: 'package.json', score: 0.19 }),
  ]
  t.match(workflowCommands(githubCommands(report([fault({ frames, sources })]))), [
    { command: 'error', properties: { file: 'src/app.js' }, data: /may be in src\/main\.js:8 \(a caller\)\.$/ },
    { command: 'warning', properties: { file: 'src/main.js', line: '8', endLine: '8' }, data: /a caller$/ },
  ])
  t.equal(workflowCommands(githubCommands(report([fault({ frames, sources })]))).length, 2)
})

test('the failing frame is the innermost of the error, before its causes and before libraries', async t => {
  const own = { in_project: true, repository: 'shop' }
  const frames = [
    frame({ ...own, index: 0, exception: 0, path: 'src/cause.js', code_line: 1 }),
    frame({ ...own, index: 1, exception: 1, path: 'src/outer.js', code_line: 2 }),
    frame({ ...own, index: 2, exception: 1, path: 'src/inner.js', code_line: null, line: 7 }),
    frame({ ...own, index: 3, exception: 1, path: 'vendor/acme/x.js', code_line: 3 }),
  ]
  const [root] = fault().exceptions
  const exceptions = [
    { ...fault().exceptions[0], index: 0, relation: 'cause' as const },
    { ...root, index: 1 },
  ] as ReturnType<typeof fault>['exceptions']
  const [error] = workflowCommands(githubCommands(report([fault({ exceptions, frames })])))
  t.match(error, { properties: { file: 'src/inner.js', line: '7' } })
  const [cause] = workflowCommands(githubCommands(report([fault({ exceptions, frames: frames.slice(0, 1) })])))
  t.match(cause, { properties: { file: 'src/cause.js', line: '1' } })
  const [library] = workflowCommands(githubCommands(report([fault({ exceptions, frames: frames.slice(3) })])))
  t.match(library, { command: 'error', properties: { file: 'vendor/acme/x.js' } })
})

test('a fault elsewhere is a warning without a place, none is a notice, and more are counted', async t => {
  t.match(workflowCommands(githubCommands(report([fault(), elsewhere()], { left: 2 }))), [
    { command: 'error' },
    { command: 'warning' },
    {
      command: 'warning',
      properties: { title: 'ConnectionError: refused', file: undefined },
      data: /No frame of it is in code of the project\./,
    },
    { command: 'notice', data: 'The log holds 2 more faults than are shown.' },
  ])
  t.match(workflowCommands(githubCommands(report([]))), [{ command: 'notice', data: /found no error/ }])
})

test('what a model wrote is marked as that, and so is what is to be doubted', async t => {
  const answer = { text: 'x', explanation: 'It is\nempty.', fix: '', patch: null, patch_status: 'none' }
  const [error] = workflowCommands(githubCommands(report([fault({ answer, notice: 'Another commit.' })])))
  t.match(error, { data: /\nAnother commit\.\nIt is\nempty\.\n\(A model wrote this; nothing has been run\.\)$/ })
})

const PIECES = [
  '::',
  '\n',
  '\r',
  '%0A',
  '%',
  ',',
  ':',
  '##[',
  ']',
  ' ',
  'set-output name=x',
  'add-mask',
  'stop-commands',
  'é',
]
const hostile = fc
  .array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 12 })
  .map(pieces => pieces.join(''))

test('no text of a trace, a repository or a model makes another command, or another property', async () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, hostile, (message, path, why, explanation) => {
      const answer = { text: '', explanation, fix: '', patch: null, patch_status: 'none' }
      const failing = frame({ in_project: true, repository: 'shop', path, function: why, code_line: 4 })
      const output = githubCommands(
        report([
          faultOf(
            { type: why, message },
            { frames: [failing], sources: [source({ path, why })], answer, notice: message },
          ),
          faultOf({ message }, { frames: [] }),
        ]),
      )
      const commands = workflowCommands(output)
      const known = commands.map(({ command, properties }) => [command, Object.keys(properties).join()])
      const places = 'file,line,endLine,title'
      return (
        output.split('\n').length === commands.length + 1 &&
        known.every(([command = '', list]) =>
          command === 'warning' ? list === 'title' || list === places : command === 'error' && list === places,
        )
      )
    }),
    { numRuns: runs(2000) },
  )
})

test('where a fault comes from is told with it, on one line', async t => {
  const told = {
    origin: 'introduced' as const,
    origin_why: 'Its frame at src/app.js:4\n::error::x is on a changed line.',
  }
  const [first = ''] = githubCommands(report([fault(told)])).split('\n')
  t.match(first, /Introduced by the change\. Its frame at src\/app\.js:4/)
  t.equal(workflowCommands(githubCommands(report([fault(told)]))).filter(({ data }) => data === 'x').length, 0)
  t.notMatch(githubCommands(report([fault({})])), /Introduced|not known/)
})
