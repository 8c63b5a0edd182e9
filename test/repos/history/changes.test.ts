import { test } from 'tap'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { readChanges } from '../../../src/repos/history/changes.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { DAY_S, filesOf, manyFiles, setup, signal } from './tables-of.ts'

test('a commit dated to the future is as old as the one before it', async t => {
  const { remote, sync, fetchHistory, read } = setup(t)
  const before = remote.commit({ 'a.py': 'a2\n' }, { date: 1_704_100_000 })
  const future = remote.commit({ 'b.py': 'b2\n' }, { date: 4_294_967_295 })
  const tip = remote.commit({ 'a.py': 'a3\n' }, { date: 1_704_200_000 })
  await sync()
  await fetchHistory()
  const commits = (await read('shop', tip))?.commits.slice(0, 3)
  t.same(
    commits?.map(({ id, date }) => [id, date]),
    [
      [tip, 1_704_200_000],
      [future, 1_704_100_000],
      [before, 1_704_100_000],
    ],
  )
})

test('commits of many files, merges and the one where the history is cut off name no files', async t => {
  const { remote, sync, fetchHistory, read } = setup(t)
  remote.commit(manyFiles(31, 'one'), { date: 1_704_200_000 })
  remote.commit(manyFiles(30, 'two'))
  const main = remote.commit({ 'a.py': 'main\n' })
  const side = remote.commit({ 'b.py': 'side\n' }, { branch: 'side' })
  const merge = remote.git(
    '-c',
    'user.name=Ada',
    '-c',
    'user.email=ada@example.com',
    'commit-tree',
    '-p',
    main,
    '-p',
    side,
    '-m',
    'Merge',
    `${main}^{tree}`,
  )
  remote.git('update-ref', 'refs/heads/main', merge)
  await sync()
  await fetchHistory()
  t.same(
    filesOf(await read('shop', merge))
      ?.map(({ length }) => length)
      .sort((a, b) => a - b),
    [0, 0, 1, 1, 2, 30],
  )

  const old = createGitRepository(join(remote.dir, '..', 'old.git'))
  const start = 1_500_000_000
  for (let i = 0; i < 80; i++) old.commit({ 'a.py': `${i}\n`, [`${i}.py`]: 'x\n' }, { date: start + i * 10 * DAY_S })
  remote.git('fetch', '--quiet', '--depth=60', `file://${old.dir}`, '+main:refs/heads/main')
  const tip = await sync()
  await fetchHistory()
  const cut = filesOf(await read('shop', tip))
  t.same(cut?.at(-1), [])
  t.same(cut?.[0], ['79.py', 'a.py'])
})

test('names of any kind come as they are', async t => {
  const { remote, sync, fetchHistory, read } = setup(t)
  const names = [
    'new\nline.py',
    'R100',
    `${'0'.repeat(40)} 1`,
    '\u0001',
    'ü/"quoted".py',
    `${'x'.repeat(250)}/`.repeat(5) + 'deep.py',
  ]
  const tip = remote.commit(Object.fromEntries(names.map(name => [name, name])))
  await sync()
  await fetchHistory()
  t.same(filesOf(await read('shop', tip))?.[0], names.slice(0, -1).sort(), 'but for one of more than 1,024 characters')
})

test('where the content of a file is missing, its renaming is known as long as it changed nothing', async t => {
  const remote = createGitRepository(join(t.testdir({}), 'shop.git'), {
    files: { 'a.py': 'a\n'.repeat(50), 'b.py': 'b\n'.repeat(50) },
  })
  const similar = 'a\n'.repeat(49) + 'c\n'
  remote.commit({ 'b.py': null, 'lib/b.py': 'b\n'.repeat(50) })
  const commit = remote.commit({ 'a.py': null, 'lib/a.py': similar })
  const changes = async () => filesOf(await readChanges(remote.dir, commit, { signal, cutOff: new Set() }))
  t.same(await changes(), [['lib/a.py'], ['lib/b.py'], ['lib/a.py', 'lib/b.py']])
  const blob = remote.git('rev-parse', `${commit}:lib/a.py`)
  rmSync(join(remote.dir, 'objects', blob.slice(0, 2), blob.slice(2)))
  t.same(await changes(), [['a.py', 'lib/a.py'], ['lib/b.py'], ['a.py', 'lib/b.py']])
  await t.rejects(readChanges(remote.dir, 'e'.repeat(40), { signal, cutOff: new Set() }), {
    code: 'REPOSITORY_CORRUPT',
  })
})
