import fc from 'fast-check'
import { test } from 'tap'
import { createPrintableStream, printable, printableLine } from '../../src/text/terminal-text.ts'

// eslint-disable-next-line no-control-regex -- none of them may come through
const DANGEROUS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u2028\u2029\u202A-\u202E\u2066-\u2069]/
const anyText = fc.string({ unit: 'binary', maxLength: 80 })

test('control and bidirectional characters are shown instead of sent', async t => {
  t.equal(printable('a\u001B[31mb\u0007\u009B2Jc\rd'), 'a\\u001B[31mb\\u0007\\u009B2Jc\\u000Dd')
  t.equal(printable('x\u202Ey'), 'x\\u202Ey')
  t.equal(printable('می\u200Cشود'), 'می\u200Cشود', 'joiners belong to the spelling of some languages')
  t.equal(printable('one\r\ntwo\tthree\n'), 'one\ntwo\tthree\n', 'line feeds and tabs stay')
  t.equal(printable('\uD800'), '\uFFFD')
  t.equal(printableLine('one\ntwo\tthree'), 'one two three')
})

test('nothing dangerous is left of any text, and other text is not touched', async t => {
  fc.assert(
    fc.property(anyText, text => {
      const shown = printable(text)
      return !DANGEROUS.test(shown) && shown.isWellFormed() && printable(shown) === shown
    }),
  )
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 80 }),
      text => DANGEROUS.test(text) || printable(text) === text.toWellFormed(),
    ),
  )
  t.pass()
})

test('a text in pieces reads like the whole, wherever it is cut', async t => {
  fc.assert(
    fc.property(anyText, fc.array(fc.nat(80), { maxLength: 5 }), (text, cuts) => {
      const next = createPrintableStream()
      const places = [0, ...cuts.filter(cut => cut < text.length).sort((a, b) => a - b), text.length]
      const pieces = places.slice(1).map((end, index) => next(text.slice(places[index], end)))
      return pieces.join('') + next('.') === printable(`${text}.`)
    }),
  )
  t.pass()
})
