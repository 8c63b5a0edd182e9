import { PassThrough, Readable } from 'node:stream'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { needText, promptFrom, readText, stackTraceFrom } from '../../src/cli/input.ts'
import type { Session } from '../../src/cli/session.ts'

const MIB = 1024 ** 2

test('the end of a text that is too long is kept', async t => {
  async function* log() {
    for (let i = 0; i < 25; i++) yield Buffer.alloc(MIB, 97)
    yield 'the end'
  }
  const { text, cut } = await readText(log())
  t.equal(cut, true)
  t.equal(Buffer.byteLength(text), 10 * MIB)
  t.ok(text.endsWith('athe end'))
  t.strictSame(await readText(Readable.from(['short ', Buffer.from('text')])), { text: 'short text', cut: false })
})

test('bytes that are no text do not stop it, and UTF-16 with its mark is read', async t => {
  t.equal((await readText(Readable.from([Buffer.from([0x61, 0xff, 0x62])]))).text, 'a\uFFFDb')
  t.equal((await readText(Readable.from([Buffer.from('\uFEFFerror', 'utf16le')]))).text, 'error')
})

test('waiting for input ends at once when it is interrupted', async t => {
  const controller = new AbortController()
  const reading = readText(new PassThrough(), controller.signal)
  controller.abort(new Error('enough'))
  await t.rejects(reading, { message: 'enough' })
  await t.rejects(readText(new PassThrough(), AbortSignal.abort(new Error('before'))), { message: 'before' })
})

test('white space is no input', async t => {
  t.throws(() => needText({ text: ' \n', cut: false }, 'standard input'), {
    code: 'NO_STACK_TRACE',
    exitCode: 1,
    message: /standard input/,
  })
  t.equal(needText({ text: ' x', cut: false }, 'a file'), ' x')
})

/** A session of which only the input, the folder and the notes are used. */
function sessionOf(stdin: string[], cwd = '.', isTTY = false) {
  const notes: string[] = []
  const session = {
    terminal: { stdin: Object.assign(Readable.from(stdin), { isTTY }) },
    output: { note: (text: string) => notes.push(text) },
    signal: new AbortController().signal,
    cwd,
  } as unknown as Session
  return { session, notes }
}

test('a trace comes from standard input or a file; a note says what a user should know of it', async t => {
  const cwd = t.testdir({ 'trace.txt': 'from a file' })
  for (const name of [undefined, '-']) {
    const { session, notes } = sessionOf(['from a pipe'], cwd)
    t.equal(await stackTraceFrom(session, name), 'from a pipe')
    t.same(notes, [])
  }
  const typed = sessionOf(['typed'], cwd, true)
  t.equal(await stackTraceFrom(typed.session, '-'), 'typed')
  t.match(typed.notes, [/^Paste the stack trace/])
  const file = sessionOf(['from a pipe'], cwd, true)
  t.equal(await stackTraceFrom(file.session, 'trace.txt'), 'from a file')
  t.same(file.notes, [])
  const long = sessionOf(['a'.repeat(10 * MIB), 'b'])
  t.match(await stackTraceFrom(long.session, '-'), /ab$/)
  t.match(long.notes, [/longer than 10 MiB/])
  await t.rejects(stackTraceFrom(sessionOf([' ']).session, '-'), { message: 'Nothing came in from standard input.' })
})

test('a prompt comes from the command line, a file or standard input, and from one of them only', async t => {
  const cwd = t.testdir()
  writeFileSync(join(cwd, 'prompt.txt'), ' from a file\n')
  const prompt = (given: string | undefined, file: string | undefined) =>
    promptFrom(sessionOf(['from a pipe'], cwd).session, { given, file, question: 'What?', example: 'x' })
  t.equal(await prompt('as given', undefined), 'as given')
  t.equal(await prompt('-', undefined), 'from a pipe')
  t.equal(await prompt(undefined, undefined), 'from a pipe')
  t.equal(await prompt(undefined, '-'), 'from a pipe')
  t.equal(await prompt(undefined, 'prompt.txt'), 'from a file')
  await t.rejects(prompt('as given', 'prompt.txt'), { message: /command line and in --prompt-file/ })
  await t.rejects(prompt(' ', undefined), { message: /There is no prompt/ })
  t.equal((await prompt('a'.repeat(200_000), undefined)).length, 200_000)
  await t.rejects(prompt('a'.repeat(200_001), undefined), { message: /has 200001 characters; at most 200000/ })
})
