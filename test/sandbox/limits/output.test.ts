import { test } from 'tap'
import fc from 'fast-check'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { collectGarbage } from '../../../src/core/collect-garbage.ts'
import { KeptOutput } from '../../../src/sandbox/limits/output.ts'

const KIB = 1024

test('a short output is kept whole, in any chunks', async () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 50 })), parts => {
      const output = new KeptOutput()
      for (const part of parts) output.add(Buffer.from(part))
      return output.text() === parts.join('') && output.truncatedBytes === 0
    }),
  )
})

test('of a long output the first 256 KiB and the last 768 KiB are kept, however it came', async t => {
  const whole = Buffer.from(Array.from({ length: 400_000 }, (_, index) => `line ${index}`).join('\n'))
  for (const size of [1_000, 65_536, 1_000_000, whole.length]) {
    const output = new KeptOutput()
    for (let at = 0; at < whole.length; at += size) output.add(whole.subarray(at, at + size))
    const [head = '', note, tail] = output.text().split(/\n(\[\d+ bytes left out\])\n/)
    t.equal(head, whole.toString('utf8', 0, 256 * KIB))
    t.equal(note, `[${whole.length - 1024 * KIB} bytes left out]`)
    t.equal(tail, whole.toString('utf8', whole.length - 768 * KIB))
    t.equal(output.truncatedBytes, whole.length - 1024 * KIB)
  }
})

test('what is left out is not kept in memory', async t => {
  const output = new KeptOutput()
  const chunks = Array.from({ length: 30 }, () => {
    const chunk = Buffer.from(new ArrayBuffer(128 * KIB))
    output.add(chunk)
    return new WeakRef(chunk.buffer)
  })
  await nextTurn() // a reference holds its object until the end of the turn that made it
  collectGarbage()
  const held = chunks.filter(chunk => chunk.deref() !== undefined).length
  t.ok(held * 128 <= 1_800, `${held} chunks are held`)
  t.equal(output.truncatedBytes, (30 * 128 - 1024) * KIB)
})

test('bytes that are no text become U+FFFD', async t => {
  const output = new KeptOutput()
  output.add(Buffer.from([0x61, 0xff, 0x62]))
  t.equal(output.text(), 'a\uFFFDb')
})
