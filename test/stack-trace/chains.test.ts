import { test } from 'tap'
import { createChains } from '../../src/stack-trace/chains.ts'
import type { RawException } from '../../src/stack-trace/failures.ts'
import { newFrame } from '../../src/stack-trace/frames.ts'

const failure = (message: string): RawException[] => [
  { type: 'E', message, relation: 'root', frames: [newFrame(message, { file: 'a.py', line: 1 })] },
]

test('identical failures are one with a count, at the place of the first', async t => {
  const chains = createChains(10, true)
  for (const [at, message] of ['a', 'b', 'a', 'a'].entries()) {
    chains.add({ language: 'python', exceptions: failure(message), at })
  }
  t.same(
    chains.kept().map(({ exceptions, count, at, number }) => [exceptions[0]?.message, count, at, number]),
    [
      ['a', 3, 0, 0],
      ['b', 1, 1, 1],
    ],
  )
})

test('of too many different failures both ends are kept, with the numbers that they have among all', async t => {
  const chains = createChains(4, true)
  for (let at = 0; at < 100; at++) chains.add({ language: null, exceptions: failure(`m${at}`), at })
  chains.add({ language: null, exceptions: failure('m50'), at: 100 })
  chains.add({ language: null, exceptions: failure('m99'), at: 101 })
  t.same(
    chains.kept().map(({ number, count }) => [number, count]),
    [
      [0, 1],
      [1, 1],
      [98, 1],
      [99, 2],
    ],
  )
})

test('failures that come in another order than that of the text are put in order', async t => {
  const chains = createChains(4, false)
  for (const at of [5, 1, 9, 3, 7]) chains.add({ language: null, exceptions: failure(`m${at}`), at })
  t.same(
    chains.kept().map(({ at, number }) => [at, number]),
    [
      [1, 0],
      [3, 1],
      [5, 2],
      [7, 3],
      [9, 4],
    ],
  )
})

test('whether any exception had a frame is known', async t => {
  const chains = createChains(4, true)
  chains.add({ language: null, exceptions: [{ type: 'E', message: null, relation: 'root', frames: [] }], at: 0 })
  t.equal(chains.hasFrames(), false)
  chains.add({ language: null, exceptions: failure('x'), at: 1 })
  t.equal(chains.hasFrames(), true)
})
