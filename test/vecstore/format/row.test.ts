import { test } from 'tap'
import { packText } from '../../../src/vecstore/format/packed-text.ts'
import { bytesIn, numberIn, packedTextIn, scopeKindIn, textIn } from '../../../src/vecstore/format/row.ts'

const long = 'long '.repeat(100)
const row = { n: 1, text: 'a', bytes: Uint8Array.of(1), kind: 'class', none: null, packed: Buffer.from(packText(long)) }

test('columns are read as what they are to hold', async t => {
  t.equal(numberIn(row, 'n'), 1)
  t.equal(textIn(row, 'text'), 'a')
  t.same(bytesIn(row, 'bytes'), Uint8Array.of(1))
  t.equal(scopeKindIn(row, 'kind'), 'class')
  t.equal(packedTextIn(row, 'packed'), long)
  t.equal(packedTextIn(row, 'text'), 'a')
})

test('a column that holds something else is named', async t => {
  t.throws(() => numberIn(row, 'text'), /column text holds no number/)
  t.throws(() => textIn(row, 'none'), /column none holds no text/)
  t.throws(() => bytesIn(row, 'gone'), /column gone holds no bytes/)
  t.throws(() => scopeKindIn(row, 'text'), /column text holds no kind/)
  t.throws(() => packedTextIn(row, 'n'), /column n holds no text/)
})
