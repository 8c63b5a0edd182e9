import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { summary } from '../../../helpers/trace-summary.ts'

const framesOf = (name: string) => summary(readTrace(name)).map(({ head, frames }) => [head, ...frames])

test('bash: file, line and what went wrong; the second line of a syntax error is the code', async t => {
  t.same(framesOf('bash-run'), [
    ['root error: missing_command: command not found', 'run.sh:3 null'],
    ['root error: cd: /no/such/folder: No such file or directory', 'run.sh:4 null'],
    ['root error: 1 / 0: division by 0 (error token is "0")', 'run.sh:7 null'],
  ])
  t.same(framesOf('bash-broken'), [["root error: syntax error near unexpected token `done'", 'broken.sh:3 null']])
  t.equal(parseStackTrace(readTrace('bash-broken')).frames[0]?.sourceText, 'done')
  t.same(framesOf('bash-unset'), [['root error: UNSET_NAME: unbound variable', 'unset.sh:2 null']])
})

test('dash writes the line without a word', async t => {
  t.same(
    framesOf('dash-run').map(([, frame]) => frame),
    ['run.sh:3 null', 'run.sh:4 null', 'run.sh:7 null'],
  )
  t.same(framesOf('dash-broken'), [
    ['root error: Syntax error: "done" unexpected (expecting "fi")', 'broken.sh:3 null'],
  ])
})

test('zsh names a function where there is one', async t => {
  t.same(framesOf('zsh-run'), [
    ['root error: command not found: missing_command', 'null:1 open_till'],
    ['root error: no such file or directory: /no/such/folder', 'null:2 open_till'],
    ['root error: division by zero', 'run.sh:7 null'],
  ])
})

test('make reports what a recipe said already', async t => {
  t.same(framesOf('make-4'), [['separate make: Error 1', 'Makefile:4 till']])
  t.same(summary('Makefile:4: *** missing separator.  Stop.'), [
    { head: 'root make: missing separator.  Stop.', frames: ['Makefile:4 null'] },
  ])
})

test('a shell that was given a command has no file', async t => {
  for (const line of ['bash: line 1: foo: command not found', '/bin/sh: 1: foo: not found', 'sh: 1: vite: not found']) {
    t.same(parseStackTrace(line).frames, [], line)
  }
})
