import { test } from 'tap'
import { ChunkLineTable } from '../../../src/vecstore/catalogue/chunk-line-table.ts'

const lines = (startLine: number, endLine: number) => ({ startLine, endLine, startOffset: 0, endOffset: 0 })
const FILES = [[lines(1, 10), lines(11, 12)], [], [lines(1, 3), lines(4, 9), lines(10, 10)]]

test('the lines of a chunk are found by its file and its place there, and each file is read once', async t => {
  const read: number[] = []
  const table = new ChunkLineTable(
    FILES.map(chunks => ({ chunks: chunks.length })),
    file => {
      read.push(file)
      return FILES[file] ?? []
    },
  )
  t.same([table.firstLine(2, 1), table.lastLine(2, 1)], [4, 9])
  t.same([table.firstLine(2, 2), table.lastLine(2, 2)], [10, 10])
  t.same([table.firstLine(0, 1), table.lastLine(0, 0)], [11, 10])
  t.same(read, [2, 0])
})

test('a chunk that a file does not have has the line 1, and none of its neighbour', async t => {
  const table = new ChunkLineTable(
    FILES.map(chunks => ({ chunks: chunks.length })),
    file => FILES[file] ?? [],
  )
  t.same([table.firstLine(0, 2), table.lastLine(1, 0), table.firstLine(7, 0)], [1, 1, 1])
})
