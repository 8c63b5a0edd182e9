import { test } from 'tap'
import { byScore, fileKey, filesOfChunks, HitSum } from '../../../../src/resolver/ranking/rankers/hits.ts'

const file = (path: string) => ({ repository: 'shop', path })
const lines = (startLine: number) => ({ startLine, endLine: startLine + 1 })

test('gains add up, and what gains most gives the reason and the first lines', async t => {
  const sum = new HitSum()
  sum.add(file('a.py'), 1, () => 'weak', lines(1))
  sum.add(file('b.py'), 2, () => 'other', lines(5))
  sum.add(file('a.py'), 3, () => 'strong', lines(9))
  t.same(sum.take(9), [
    { ...file('a.py'), score: 4, why: 'strong', lines: [lines(9), lines(1)] },
    { ...file('b.py'), score: 2, why: 'other', lines: [lines(5)] },
  ])
  t.equal(sum.take(1).length, 1)
})

test('a reason that is not given is not made, and few lines are kept', async t => {
  const sum = new HitSum()
  sum.add(file('a.py'), 3, () => 'strong')
  const made: string[] = []
  const why = (): string => String(made.push('in vain'))
  for (let line = 1; line < 9; line++) sum.add(file('a.py'), 1, why, lines(line))
  t.same(made, [])
  t.equal(sum.take(1)[0]?.lines.length, 3)
})

test('equal scores come in the order of repository and path', async t => {
  const files = [
    { repository: 'b', path: 'a.py', score: 1 },
    { repository: 'a', path: 'b.py', score: 1 },
    { repository: 'a', path: 'a.py', score: 1 },
    { repository: 'z', path: 'z.py', score: 2 },
  ]
  t.same(
    files.sort(byScore).map(({ repository, path }) => repository + path),
    ['zz.py', 'aa.py', 'ab.py', 'ba.py'],
  )
})

test('a key tells files of one path in two repositories apart', async t => {
  t.equal(fileKey(file('a.py')), fileKey(file('a.py')))
  t.not(fileKey(file('a.py')), fileKey({ repository: 'till', path: 'a.py' }))
})

test('a file counts as its best chunk does, with the places of the next ones', async t => {
  const chunk = (path: string, score: number, startLine: number) => ({
    ...file(path),
    ...lines(startLine),
    chunkIndex: 0,
    totalChunks: 1,
    score,
  })
  const hits = [chunk('a.py', 3, 1), chunk('b.py', 2, 1), chunk('a.py', 1, 5), chunk('c.py', 1, 1)]
  t.same(
    filesOfChunks(hits, ({ startLine }) => `at ${startLine}`, 2),
    [
      { ...file('a.py'), score: 3, why: 'at 1', lines: [lines(1), lines(5)] },
      { ...file('b.py'), score: 2, why: 'at 1', lines: [lines(1)] },
    ],
  )
})
