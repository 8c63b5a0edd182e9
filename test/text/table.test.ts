import { test } from 'tap'
import { bytes, columns, count, milliseconds, shortCommit } from '../../src/text/table.ts'

test('columns are as wide as their widest cell, and colours have no width', async t => {
  t.equal(
    columns([
      ['a', '\u001B[31mlong\u001B[39m', 'x'],
      ['bcd', 'y', 'and more'],
    ]),
    'a    \u001B[31mlong\u001B[39m  x\nbcd  y     and more',
  )
  t.equal(columns([['a', '']]), 'a', 'nothing stands at the end of a line')
  t.equal(columns([]), '')
})

test('numbers have their unit', async t => {
  t.equal(count(1, 'file'), '1 file')
  t.equal(count(0, 'file'), '0 files')
  t.equal(milliseconds(999.4), '999 ms')
  t.equal(milliseconds(1500), '1.5 s')
  t.equal(bytes(0), '0 bytes')
  t.equal(bytes(1023), '1023 bytes')
  t.equal(bytes(1536), '1.5 KiB')
  t.equal(bytes(5 * 1024 ** 3), '5.0 GiB')
  t.equal(shortCommit('0123456789abcdef'), '0123456789')
})
