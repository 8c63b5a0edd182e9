import { test } from 'tap'
import fc from 'fast-check'
import { decodeSource, lineStarts } from '../../src/core/source-text.ts'

test('every kind of line end becomes one newline and a byte order mark goes', async t => {
  t.equal(decodeSource(Buffer.from('\uFEFFa\r\nb\rc\nd\r\n')), 'a\nb\nc\nd\n')
})

test('bytes that are not UTF-8 have no text', async t => {
  t.equal(decodeSource(Buffer.from([0x63, 0xe9, 0x0a])), null)
  t.equal(decodeSource(Buffer.from([0xed, 0xa0, 0x80])), null, 'half a surrogate pair')
})

test('a final newline begins no further line', async t => {
  t.same(lineStarts(''), [])
  t.same(lineStarts('\n'), [0])
  t.same(lineStarts('a\n\nb'), [0, 2, 3])
  t.same(lineStarts('a\n\nb\n'), [0, 2, 3])
})

test('lines begin where splitting at newlines says', async t => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'bc', '\n'), { maxLength: 40 }), parts => {
      const text = parts.join('')
      const lines = text.split('\n')
      if (lines.at(-1) === '') lines.pop()
      const starts = lineStarts(text)
      return starts.length === lines.length && lines.every((line, i) => text.startsWith(line, starts[i]))
    }),
  )
  t.pass()
})
