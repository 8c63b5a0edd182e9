import { test } from 'tap'
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { createChangeReader } from '../../../src/repos/history/change-tables.ts'
import { DAY_S, filesOf, setup } from './tables-of.ts'

test('a shallow clone has no table; with its history comes one of what each commit changed', async t => {
  const { remote, sync, fetchHistory, read, hasChanges } = setup(t)
  remote.commit({ 'a.py': 'a2\n', 'b.py': 'b2\n' }, { date: 1_704_100_000 })
  const tip = remote.commit({ 'a.py': 'a3\n' })
  t.equal(await sync(), tip)
  t.equal(await read('shop', tip), null)
  t.equal(await hasChanges(), false)
  await fetchHistory()
  const history = await read('shop', tip)
  t.same(filesOf(history), [['a.py'], ['a.py', 'b.py'], ['a.py', 'b.py']])
  t.match(history?.commits[1], { date: 1_704_100_000, id: remote.git('rev-parse', `${tip}^`) })
  t.equal(await hasChanges(), true)
  t.equal(await read('../shop', tip), null)
  t.equal(await read('shop', '../../x'), null)
})

test('a sync goes on from the table that is there, and tables of commits that nobody holds stay for a week', async t => {
  const { remote, sync, fetchHistory, read, tables } = setup(t)
  const first = await sync()
  await fetchHistory()
  const table = JSON.parse(zstdDecompressSync(readFileSync(join(tables, `${first}.zst`))).toString())
  const unknownToGit = ['f'.repeat(40), 1_600_000_000, 0]
  writeFileSync(
    join(tables, `${first}.zst`),
    zstdCompressSync(JSON.stringify({ ...table, commits: [...table.commits, unknownToGit] })),
  )
  const weekAgo = new Date(Date.now() - 7 * DAY_S * 1_000)
  utimesSync(join(tables, `${first}.zst`), weekAgo, weekAgo)
  const next = remote.commit({ 'b.py': 'b2\n' })
  t.equal(await sync(), next)
  t.equal(await read('shop', next), null)
  await fetchHistory()
  t.same(filesOf(await read('shop', next)), [['b.py'], ['a.py', 'b.py'], ['a.py']])
  t.same(
    readdirSync(tables).sort(),
    [`${first}.zst`, `${next}.zst`].sort(),
    'the index may still be that of the first commit',
  )
  utimesSync(join(tables, `${first}.zst`), weekAgo, weekAgo)
  await fetchHistory()
  t.same(readdirSync(tables), [`${next}.zst`])
  await sync('other')
  utimesSync(join(tables, `${next}.zst`), weekAgo, weekAgo)
  remote.commit({ 'a.py': 'a9\n' })
  const last = await sync()
  await fetchHistory()
  t.same(readdirSync(tables).sort(), [`${next}.zst`, `${last}.zst`].sort(), 'the other project holds the older one')
})

test('going on from a table gives the same as reading all anew', async t => {
  const { remote, sync, fetchHistory, read, tables } = setup(t)
  remote.commit({ 'a.py': 'a2\n', 'c.py': 'c\n' })
  await sync()
  await fetchHistory()
  remote.commit({ 'a.py': null, 'lib/a.py': 'a2\n' }, { message: 'Move it' })
  const tip = remote.commit({ 'lib/a.py': 'a3\n', 'b.py': 'b3\n' })
  await sync()
  await fetchHistory()
  const wentOn = await read('shop', tip)
  writeFileSync(join(tables, `${tip}.zst`), '')
  await fetchHistory()
  t.ok(statSync(join(tables, `${tip}.zst`)).size > 0)
  const anew = await createChangeReader({ clonedReposDir: join(tables, '..', '..') })('shop', tip)
  t.same(
    wentOn?.commits.map(({ id, date }) => ({ id, date })),
    anew?.commits.map(({ id, date }) => ({ id, date })),
  )
  t.same(filesOf(wentOn), filesOf(anew))
  t.same(
    filesOf(anew),
    [['b.py', 'lib/a.py'], ['lib/a.py'], ['c.py', 'lib/a.py'], ['b.py', 'lib/a.py']],
    'under the name of now',
  )
})

test('a table names no path that none of its commits names', async t => {
  const { remote, sync, fetchHistory, read, tables } = setup(t)
  const first = await sync()
  await fetchHistory()
  const table = JSON.parse(zstdDecompressSync(readFileSync(join(tables, `${first}.zst`))).toString())
  writeFileSync(
    join(tables, `${first}.zst`),
    zstdCompressSync(
      JSON.stringify({
        ...table,
        paths: ['gone.py', ...table.paths],
        commits: table.commits.map(([id, date, ...files]: [string, number, ...number[]]) => [
          id,
          date,
          ...files.map(file => file + 1),
        ]),
      }),
    ),
  )
  const next = remote.commit({ 'b.py': 'b2\n' })
  await sync()
  await fetchHistory()
  const history = await read('shop', next)
  t.same(history?.paths.toSorted(), ['a.py', 'b.py'])
  t.same(filesOf(history), [['b.py'], ['a.py', 'b.py']])
})

test('open tables are kept by their size: a small one is the same object again, too large ones give way', async t => {
  const { tables, read } = setup(t)
  mkdirSync(tables, { recursive: true })
  const write = (commit: string, chars: number) =>
    writeFileSync(
      join(tables, `${commit}.zst`),
      zstdCompressSync(JSON.stringify({ formatVersion: 1, paths: ['x'.repeat(chars)], commits: [] })),
    )
  const [small, ...large] = ['a', 'b', 'c', 'd'].map(digit => digit.repeat(40))
  write(small ?? '', 10)
  for (const commit of large) write(commit, 15_000_000)
  const first = await read('shop', small ?? '')
  t.equal(await read('shop', small ?? ''), first)
  for (const commit of large) await read('shop', commit)
  const again = await read('shop', small ?? '')
  t.same(again, first)
  t.not(again, first)
})

test('a table that would fill the memory is read as none', async t => {
  const { tables, read } = setup(t)
  mkdirSync(tables, { recursive: true })
  const json = JSON.stringify({ formatVersion: 1, paths: ['a.py'], commits: [] })
  const write = (commit: string, length: number) =>
    writeFileSync(join(tables, `${commit}.zst`), zstdCompressSync(Buffer.alloc(length, ' ').fill(json, 0, json.length)))
  const [most, more] = ['a'.repeat(40), 'b'.repeat(40)]
  write(most, 64 * 1_048_576)
  write(more, 64 * 1_048_576 + 1)
  t.match(await read('shop', most), { paths: ['a.py'] })
  t.equal(await read('shop', more), null)
})

test('after a force-push nothing of the previous history is left', async t => {
  const { remote, sync, fetchHistory, read } = setup(t)
  remote.commit({ 'secret.py': 's\n' })
  await sync()
  await fetchHistory()
  const tip = remote.commit({ 'fresh.py': 'f\n' }, { orphan: true })
  t.equal(await sync(), tip)
  await fetchHistory()
  t.same(filesOf(await read('shop', tip)), [['fresh.py']])
})

test('a damaged table is read as none, told of, and made anew with the next history', async t => {
  const { remote, sync, fetchHistory, tables, damaged, hasChanges } = setup(t)
  remote.commit({ 'a.py': 'a2\n' })
  const tip = await sync()
  await fetchHistory()
  const path = join(tables, `${tip}.zst`)
  const whole = readFileSync(path)
  const bytes = Buffer.from(whole)
  bytes[bytes.length - 6] = (bytes[bytes.length - 6] ?? 0) ^ 1
  const fresh = () => createChangeReader({ clonedReposDir: join(tables, '..', '..') })('shop', tip)
  for (const bad of [bytes, whole.subarray(0, whole.length >> 1), Buffer.from('words')]) {
    damaged.length = 0
    writeFileSync(path, bad)
    t.equal(await fresh(), null)
    t.equal(await hasChanges(), false)
    await fetchHistory()
    t.same(damaged, ['shop'])
    t.same(readFileSync(path), whole)
  }
})
