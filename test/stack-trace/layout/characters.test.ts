import { test } from 'tap'
import { plainCharacters } from '../../../src/stack-trace/layout/characters.ts'

test('terminal escapes go, also where the escape character was lost or is shown', async t => {
  for (const escape of ['\u001B', '^[', '\u241B', '']) {
    t.equal(
      plainCharacters(`${escape}[0;31mTypeError${escape}[0m: x ${escape}[38;5;12my${escape}[39m`),
      'TypeError: x y',
      JSON.stringify(escape),
    )
  }
})

test('what looks like a colour in a text without colours stays', async t => {
  for (const text of ['rate(requests[5m])', 'at f (/a[1m/x.js:1:2)', 'row[31m', 'print("\\x1b[31mred\\x1b[0m")']) {
    t.equal(plainCharacters(text), text)
  }
})

test('line ends of every system are one, also doubled ones', async t => {
  t.equal(plainCharacters('a\r\nb\rc\nd\r\r\ne'), 'a\nb\nc\nd\ne')
})

test('UTF-16 that was read as bytes, in both orders, loses its marks and NULs', async t => {
  for (const encode of [
    (text: string) => Buffer.from(text, 'utf16le'),
    (text: string) => Buffer.from(text, 'utf16le').swap16(),
  ]) {
    t.equal(plainCharacters(encode('\uFEFFError: x\r\n    at f').toString('latin1')), 'Error: x\n    at f')
    t.equal(plainCharacters(encode('\uFEFFError: x\r\n    at f').toString('utf8')), 'Error: x\n    at f')
  }
})

test(
  'invisible characters go, unusual spaces are spaces, bidirectional controls are shown, surrogates are ' + 'replaced',
  async t => {
    t.equal(plainCharacters('\uFEFFa\u200Bb\u00A0c\u202Ed\uD800'), 'ab c\\u202Ed\uFFFD')
  },
)
