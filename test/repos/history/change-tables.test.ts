import { test, type Test } from 'tap'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { createChangeReader } from '../../../src/repos/history/change-tables.ts'
import { readChanges, type ChangeHistory } from '../../../src/repos/history/changes.ts'
import { createRepos } from '../../../src/repos/repos.ts'
import { createGitRepository, type TestFiles } from '../../helpers/git-repository.ts'

const signal = new AbortController().signal
const DAY_S = 86_400

/** A remote and the real clones of it. */
function setup(t: Test) {
  const root = t.testdir({ remotes: {} })
  const clones = join(root, 'clones')
  const damaged: string[] = []
  const repos = createRepos({
    clonedReposDir: clones,
    allowLocalRepos: [join(root, 'remotes')],
    allowPrivateHosts: false,
    gitTokens: new Map(),
    sshKeysDir: null,
    onDamagedChanges: repository => damaged.push(repository),
  })
  t.teardown(async () => await repos.close())
  const remote = createGitRepository(join(root, 'remotes', 'shop.git'), { files: { 'a.py': 'a\n', 'b.py': 'b\n' } })
  return {
    remote,
    damaged,
    tables: join(clones, 'shop', 'faultline-changes'),
    read: createChangeReader({ clonedReposDir: clones }),
    sync: async (projectName = 'shop') =>
      (await repos.sync({ url: remote.dir, projectName }, { signal, onProgress: () => {} })).commit,
    fetchHistory: async (projectName = 'shop') => await repos.fetchHistory({ repository: 'shop', projectName, signal }),
    hasChanges: async () => await repos.hasChanges('shop', 'shop'),
  }
}

/** The changed files of each commit, the newest first. */
const filesOf = (history: ChangeHistory | null): string[][] | undefined =>
  history?.commits.map(({ files }) => files.map(file => history.paths[file] ?? '?').sort())

const manyFiles = (count: number, text: string): TestFiles =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`many/${i}.py`, text]))

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

test('after a force-push nothing of the former history is left', async t => {
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
