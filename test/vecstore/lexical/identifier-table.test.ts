import { test } from 'tap'
import { IdentifierTable } from '../../../src/vecstore/lexical/identifier-table.ts'

const unitsOf = (text: string): Uint16Array => Uint16Array.from(text, character => character.charCodeAt(0))

function numberOf(table: IdentifierTable, name: string, hash: number): number {
  return table.number(unitsOf(`<${name}>`), 1, name.length + 1, hash)
}

test('the same units have the same number, others another, however large the table grows', async t => {
  const table = new IdentifierTable(100_000)
  const names = Array.from({ length: 20_000 }, (_, i) => `name_${i}`)
  const numbers = names.map((name, i) => numberOf(table, name, Math.imul(i, 0x9e3779b1)))
  t.equal(table.size, 20_000)
  t.equal(new Set(numbers).size, 20_000)
  t.same(
    names.map((name, i) => numberOf(table, name, Math.imul(i, 0x9e3779b1))),
    numbers,
  )
})

test(
  'names that share a hash are told apart, and beyond some dozens are not taken in, so that none costs ' +
    'more than that',
  async t => {
    const table = new IdentifierTable(1_000)
    const names = Array.from({ length: 500 }, (_, i) => `n${i}`)
    const numbers = names.map(name => numberOf(table, name, 7))
    const known = numbers.filter(number => number >= 0)
    t.equal(new Set(known).size, known.length)
    t.equal(table.size, known.length)
    t.ok(known.length >= 16 && known.length < 100, String(known.length))
    t.same(
      names.map(name => numberOf(table, name, 7)),
      numbers,
    )
  },
)

test('a full table still knows what it holds', async t => {
  const table = new IdentifierTable(2)
  t.same(
    ['a', 'bc', 'd', 'bc'].map((name, i) => numberOf(table, name, i % 2 === 0 ? i : 1)),
    [0, 1, -1, 1],
  )
})
