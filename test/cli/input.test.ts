import { PassThrough, Readable } from 'node:stream'
import { test } from 'tap'
import { needText, readText } from '../../src/cli/input.ts'

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
