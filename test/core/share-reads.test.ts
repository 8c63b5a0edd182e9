import { test } from 'tap'
import { shareReads } from '../../src/core/share-reads.ts'

/** Reads that end when they are told to, in order. */
function heldReads() {
  const started: Array<{ key: string; end: (outcome: string | Error) => void }> = []
  const read = shareReads(
    key =>
      new Promise<string>((resolve, reject) =>
        started.push({ key, end: outcome => (outcome instanceof Error ? reject(outcome) : resolve(outcome)) }),
      ),
  )
  return { started, read }
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 10; i++) await null
}

test('who asks while a read is under way gets what is read after that, all of them in one', async t => {
  const { started, read } = heldReads()
  const first = read('a')
  const later = [read('a'), read('a'), read('a')]
  const other = read('b')
  t.same(
    started.map(({ key }) => key),
    ['a', 'b'],
  )
  started[0]?.end('old')
  t.equal(await first, 'old')
  await settle()
  t.same(
    started.map(({ key }) => key),
    ['a', 'b', 'a'],
  )
  const last = read('a')
  started[2]?.end('new')
  t.same(await Promise.all(later), ['new', 'new', 'new'])
  await settle()
  started[3]?.end('newest')
  t.equal(await last, 'newest')
  started[1]?.end('of b')
  t.equal(await other, 'of b')
})

test('a read that fails fails for those who share it, and for nobody else', async t => {
  const { started, read } = heldReads()
  const first = t.rejects(read('a'), { message: 'broken' })
  const second = read('a')
  started[0]?.end(new Error('broken'))
  await first
  await settle()
  started[1]?.end('whole')
  t.equal(await second, 'whole')
  await settle()
  const third = read('a')
  t.equal(started.length, 3)
  started[2]?.end('again')
  t.equal(await third, 'again')
})
