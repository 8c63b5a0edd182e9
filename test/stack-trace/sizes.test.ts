import { test } from 'tap'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { scaled } from '../helpers/property-runs.ts'

const MIB = 1 << 20

test('a single line of 10 MiB ends, and a trace behind it is found', async t => {
  for (const unit of ['x', '\u0000', '\uD800', '{"a":', 'File "', '\\n at b.c', '&lt;', '\u001B[31m']) {
    const { exceptions } = parseStackTrace(
      `${unit.repeat(Math.ceil(scaled(10 * MIB) / unit.length))}\nTypeError: x\n    at f (/srv/a.js:1:2)\n`,
    )
    t.equal(exceptions.at(-1)?.type, 'TypeError', JSON.stringify(unit))
  }
})

test('of 100,000 frames both ends are kept', async t => {
  const { frames, framesTotal } = parseStackTrace(
    `Error: deep\n${Array.from({ length: 100_000 }, (_, index) => `    at f${index} (/srv/a.js:${index + 1}:2)\n`).join('')}`,
  )
  t.equal(framesTotal, 100_000)
  t.same([frames.length, frames[0]?.line, frames.at(-1)?.line], [1000, 100_000, 1])
})

test('a cycle that stands there 25,000 times is one cycle', async t => {
  const { frames } = parseStackTrace(
    `Error: deep\n${'    at a (/srv/a.js:1:2)\n    at b (/srv/b.js:3:4)\n'.repeat(25_000)}`,
  )
  t.same(
    frames.map(({ function: name, repeat }) => [name, repeat]),
    [
      ['b', 25_000],
      ['a', 25_000],
    ],
  )
})

test('binary data and lines of nothing give nothing', async t => {
  const bytes = Buffer.from(Uint8Array.from({ length: scaled(MIB) }, (_, index) => (index * 7919 + (index >> 8)) & 255))
  for (const text of [
    bytes.toString('latin1'),
    bytes.toString('utf8'),
    bytes.toString('utf16le'),
    '\n'.repeat(scaled(MIB)),
    'x\n'.repeat(scaled(MIB)),
  ]) {
    t.same(parseStackTrace(text).exceptions, [])
  }
})

test('a trace at either end of a text of too many lines is found', async t => {
  const trace = (name: string) => `TypeError: ${name}\n    at f (/srv/${name}.js:1:2)\n`
  const { exceptions } = parseStackTrace(`${trace('first')}${'x\n'.repeat(MIB)}${trace('last')}`)
  t.same(
    exceptions.map(({ message }) => message),
    ['first', 'last'],
  )
})
