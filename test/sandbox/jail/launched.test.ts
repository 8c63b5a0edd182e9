import { spawn } from 'node:child_process'
import { test } from 'tap'
import { untilClosed } from '../../../src/sandbox/jail/launched.ts'

test('a process that has ended says how', async t => {
  const ended = await untilClosed(spawn('/bin/sh', ['-c', 'exit 3'], { stdio: ['ignore', 'pipe', 'pipe'] }))
  t.same(ended, { exitCode: 3, signal: null, failure: null })
})

test('a program that does not exist is a failure and no process', async t => {
  const ended = await untilClosed(spawn('/nonexistent/program', [], { stdio: ['ignore', 'pipe', 'pipe'] }))
  t.match(ended, { exitCode: null, signal: null, failure: { code: 'ENOENT' } })
})

test('what holds the output open after the program does not hold up its end', async t => {
  const child = spawn('/bin/sh', ['-c', 'sleep 30 & echo $!'], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  child.stdout.on('data', chunk => (said += String(chunk)))
  t.match(await untilClosed(child), { exitCode: 0 })
  process.kill(Number(said), 'SIGKILL')
})
