import { PassThrough } from 'node:stream'
import { test } from 'tap'
import { createOutput, createProgress, type Terminal } from '../../src/cli/output.ts'
import { plain } from '../../src/text/paint.ts'

const written = (stream: PassThrough): string => String(stream.read() ?? '')

function fakeTerminal({ isTTY = false } = {}) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const terminal: Terminal = {
    stdin,
    stdout: Object.assign(stdout, { isTTY }),
    stderr: Object.assign(stderr, { isTTY }),
  }
  return { terminal, stdout, stderr }
}

test('progress is one changing line on a terminal, which goes away', async t => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 30 })
  const progress = createProgress(stream)
  progress.show('files 1/2')
  progress.show('files 1/2')
  progress.show(`files 2/2 \u001B[2J ${'x'.repeat(50)}`)
  progress.end()
  t.equal(written(stream), `\r\u001B[2Kfiles 1/2\r\u001B[2Kfiles 2/2 \\u001B[2J ${'x'.repeat(9)}\r\u001B[2K`)
})

test('on a terminal something turns before the line while nothing else happens', async t => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const progress = createProgress(stream, { spins: true })
  const alive = setInterval(() => {}, 1_000) // the spinner itself keeps no process alive
  progress.show('coding')
  const turned = await new Promise<string>(resolve => {
    let all = ''
    stream.on('data', chunk => {
      all += String(chunk)
      if (all.includes('/ coding')) resolve(all)
    })
  })
  clearInterval(alive)
  t.equal(turned, '\r\u001B[2K| coding\r\u001B[2K/ coding')
  progress.end()
  const plainStream = new PassThrough()
  const lines = createProgress(plainStream, { spins: true })
  lines.show('coding')
  lines.end()
  t.equal(written(plainStream), 'coding\n', 'nothing turns in a pipe')
})

test('elsewhere progress is a line now and then', async t => {
  const stream = new PassThrough()
  let now = 0
  const progress = createProgress(stream, { now: () => now })
  for (const [at, line] of [
    [0, 'a'],
    [100, 'b'],
    [2100, 'c'],
    [9000, 'c'],
  ] as const) {
    now = at
    progress.show(line)
  }
  progress.end()
  t.equal(written(stream), 'a\nc\n')
})

test('what stays is written between the changing lines, and a line that has not ended is not cut', async t => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const progress = createProgress(stream)
  progress.show('running')
  progress.print('one\ntw')
  progress.show('still running')
  progress.print('o\n')
  progress.show('still running')
  progress.print('')
  progress.print('end')
  progress.end()
  t.equal(written(stream), '\r\u001B[2Krunning\r\u001B[2Kone\ntwo\n\r\u001B[2Kstill running\r\u001B[2Kend\n')
})

test('progress that is worth it is shown with --json, too, but not with --quiet', async t => {
  for (const [quiet, shown] of [
    [false, 'running\n'],
    [true, ''],
  ] as const) {
    const { terminal, stderr } = fakeTerminal()
    createOutput(terminal, { json: true, quiet }).progress({ withJson: true }).show('running')
    t.equal(written(stderr), shown)
  }
})

test('with --json or --quiet there is neither progress nor a note, but there are errors', async t => {
  for (const options of [
    { json: true, quiet: false },
    { json: false, quiet: true },
  ]) {
    const { terminal, stdout, stderr } = fakeTerminal({ isTTY: true })
    const output = createOutput(terminal, options)
    const progress = output.progress()
    progress.show('files 1/2')
    progress.end()
    output.note('by the way')
    t.equal(written(stderr), '')
    output.failure({ code: 'X', message: 'two\nlines', fix: 'do it', exitCode: 1 }, new Error('inner'))
    t.equal(written(stderr), 'faultline: two lines\nfix: do it\n')
    t.equal(written(stdout) !== '', options.json, 'a script finds the error where it looks for the result')
  }
})

test('a trace of our own is shown only when asked for', async t => {
  const { terminal, stderr } = fakeTerminal()
  const error = new Error('inner')
  createOutput(terminal, { json: false, quiet: false }).failure(
    { code: 'INTERNAL', message: 'This is a bug', fix: undefined, exitCode: 1 },
    error,
    { trace: true },
  )
  t.match(written(stderr), /^faultline: This is a bug\nError: inner\n {4}at /)
})

test('colours are for terminals', async t => {
  const { terminal } = fakeTerminal()
  t.equal(createOutput(terminal, { json: false, quiet: false }).paint('red', 'x'), 'x')
  t.equal(plain('red', 'x'), 'x')
})
