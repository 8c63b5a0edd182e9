import { PassThrough } from 'node:stream'
import { test } from 'tap'
import { askLine, canAsk, confirm } from '../../src/cli/ask.ts'

function asking(signal = new AbortController().signal) {
  const stdin = new PassThrough()
  const stderr = new PassThrough()
  return { stdin, stderr, asking: { terminal: { stdin, stdout: new PassThrough(), stderr } as never, signal } }
}

test('the question goes to stderr, and a line is the answer', async t => {
  const { stdin, stderr, asking: one } = asking()
  const answer = askLine(one, 'Which port? ')
  stdin.write('8000\n')
  t.equal(await answer, '8000')
  t.match(String(stderr.read()), 'Which port? ')
})

test('an input that ends gives no answer', async t => {
  const { stdin, asking: one } = asking()
  stdin.end()
  t.equal(await askLine(one, '? '), null)
})

test('only a yes is a yes', async t => {
  for (const [typed, expected] of [
    ['y', true],
    [' YES ', true],
    ['', false],
    ['yep', false],
    ['n', false],
  ] as const) {
    const { stdin, asking: one } = asking()
    stdin.write(`${typed}\n`)
    t.equal(await confirm(one, 'Overwrite?'), expected, typed)
  }
})

test('Ctrl-C ends the question with its reason', async t => {
  const reason = new Error('interrupted')
  const controller = new AbortController()
  const answer = askLine(asking(controller.signal).asking, '? ')
  controller.abort(reason)
  await t.rejects(answer, reason)
  await t.rejects(askLine(asking(AbortSignal.abort(reason)).asking, '? '), reason)
})

test('only a terminal can be asked', async t => {
  t.equal(canAsk({ terminal: { stdin: { isTTY: true } } as never }), true)
  t.equal(canAsk({ terminal: { stdin: new PassThrough() } as never }), false)
})
