import { test } from 'tap'
import { createTextBuffer } from '../../../src/jobs/run/text-buffer.ts'

test('pieces are given on together, at a flush or when they are many', async t => {
  const written: string[] = []
  const buffer = createTextBuffer(text => written.push(text), { holdMs: 60_000, maxChars: 4 })
  buffer.add('a')
  buffer.add('b')
  t.same(written, [])
  buffer.flush()
  buffer.flush()
  buffer.add('')
  buffer.add('abc')
  buffer.add('d')
  t.same(written, ['ab', 'abcd'])
})

test('what is held is given on after a moment', async t => {
  const written = Promise.withResolvers<string>()
  const buffer = createTextBuffer(written.resolve, { holdMs: 1, maxChars: 99 })
  buffer.add('la')
  buffer.add('te')
  t.equal(await written.promise, 'late')
})
