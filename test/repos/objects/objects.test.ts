import { test } from 'tap'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { listTree, readBlobs, readRecords, type TreeEntry } from '../../../src/repos/objects/objects.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
const blobId = (bytes: Buffer) => createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')

test('a tree is listed with modes, ids and sizes, whatever its paths hold', async t => {
  const repository = createGitRepository(t.testdir())
  const commit = repository.commit({
    'a.txt': 'alpha\n',
    'deep/er/b.bin': Buffer.from([0, 1, 10, 255]),
    'white space\ttab\nline "quote"': '',
    'ü/ナ.py': 'x',
    link: { symlink: '../outside' },
    module: { submodule: '1'.repeat(40) },
  })
  const entries = new Map(
    (await all(listTree(repository.dir, commit))).map((entry): [string, TreeEntry] => [entry.path, entry]),
  )
  t.equal(entries.size, 6)
  t.match(entries.get('a.txt'), { mode: '100644', type: 'blob', size: 6, oid: blobId(Buffer.from('alpha\n')) })
  t.match(entries.get('deep/er/b.bin'), { size: 4 })
  t.match(entries.get('white space\ttab\nline "quote"'), { size: 0 })
  t.ok(entries.has('ü/ナ.py'))
  t.match(entries.get('link'), { mode: '120000', type: 'blob', size: 10 })
  t.match(entries.get('module'), { mode: '160000', type: 'commit', size: null, oid: '1'.repeat(40) })
})

test('a tree that lists more than can be listed is refused', async t => {
  const repository = createGitRepository(t.testdir(), { files: { a: 'a', b: 'b', c: 'c' } })
  const commit = repository.git('rev-parse', 'main')
  t.equal((await all(listTree(repository.dir, commit, undefined, 3))).length, 3)
  await t.rejects(all(listTree(repository.dir, commit, undefined, 2)), { code: 'REPOSITORY_TOO_LARGE' })
})

test('a commit that is not there is corruption, not an empty list', async t => {
  const repository = createGitRepository(t.testdir(), { files: { a: 'a' } })
  await t.rejects(all(listTree(repository.dir, '0'.repeat(40))), { code: 'REPOSITORY_CORRUPT' })
  await t.rejects(all(listTree(join(repository.dir, 'nowhere'), '0'.repeat(40))), { code: 'REPOSITORY_CORRUPT' })
  await t.rejects(all(listTree(repository.dir, '--help')), TypeError)
})

test('a list of git that is cut off is corruption, be it one byte', async t => {
  const repository = createGitRepository(t.testdir(), { files: { whole: 'a\0b\0', cut: 'a\0b' } })
  const records = (path: string) => all(readRecords(['cat-file', 'blob', `main:${path}`], repository.dir, undefined))
  t.same(await records('whole'), ['a', 'b'])
  await t.rejects(records('cut'), { code: 'REPOSITORY_CORRUPT', message: /cut off/ })
})

test('blobs come back byte for byte and in order, repeated ones too', async t => {
  const contents = [
    Buffer.alloc(0),
    Buffer.from('\n'),
    Buffer.from('\n\n\n'),
    Buffer.from([0, 10, 0, 10]),
    Buffer.from(`${'0'.repeat(40)} missing\n`),
    Buffer.from(`${'1'.repeat(40)} blob 3\nabc\n`),
    Buffer.alloc(300_000, 10),
    Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * 7919) % 256)),
  ]
  const repository = createGitRepository(t.testdir(), {
    files: Object.fromEntries(contents.map((bytes, i) => [`f${i}`, bytes])),
  })
  const oids = [...contents.map(blobId), blobId(Buffer.from('\n'))]
  const read = await all(readBlobs(repository.dir, oids))
  t.same(
    read.map(({ oid }) => oid),
    oids,
  )
  t.ok(read.every(({ oid, bytes }) => blobId(bytes) === oid))
  t.same(await all(readBlobs(repository.dir, [])), [])
})

test('thousands of blobs are asked for as they are taken, not all at once', async t => {
  const repository = createGitRepository(t.testdir(), { files: { a: 'x'.repeat(50_000) } })
  const oid = blobId(Buffer.from('x'.repeat(50_000)))
  let asked = 0
  function* many() {
    for (; asked < 100_000; asked++) yield oid
  }
  let taken = 0
  for await (const { bytes } of readBlobs(repository.dir, many())) {
    taken += bytes.length
    if (taken > 5_000_000) break
  }
  t.ok(asked < 50_000, `asked for ${asked}`)
})

test('a blob of 64 MiB is read, a larger one refused', async t => {
  const repository = createGitRepository(t.testdir())
  const limit = 64 * 1_048_576
  repository.git('config', 'core.compression', '0')
  repository.commit({ most: Buffer.alloc(limit), more: Buffer.alloc(limit + 1) })
  const read = (path: string) => all(readBlobs(repository.dir, [repository.git('rev-parse', `main:${path}`)]))
  t.equal((await read('most'))[0]?.bytes.length, limit)
  await t.rejects(read('more'), { code: 'REPOSITORY_TOO_LARGE', message: `${limit + 1} bytes` })
})

test('a missing object and an object that is no blob are errors', async t => {
  const repository = createGitRepository(t.testdir())
  const commit = repository.commit({ a: 'a' })
  const good = blobId(Buffer.from('a'))
  await t.rejects(all(readBlobs(repository.dir, [good, '1'.repeat(40)])), { code: 'REPOSITORY_CORRUPT' })
  await t.rejects(all(readBlobs(repository.dir, [commit])), { code: 'REPOSITORY_CORRUPT' })
  await t.rejects(all(readBlobs(repository.dir, ['HEAD'])), TypeError)
})

test('an aborted read ends with the reason of its signal', async t => {
  const repository = createGitRepository(t.testdir(), { files: { a: 'x'.repeat(50_000) } })
  const oid = blobId(Buffer.from('x'.repeat(50_000)))
  const controller = new AbortController()
  function* endless() {
    for (;;) yield oid
  }
  const reading = (async () => {
    let count = 0
    for await (const { bytes } of readBlobs(repository.dir, endless(), controller.signal)) {
      count += bytes.length
      if (count === 1_000_000) controller.abort(new Error('stop'))
    }
  })()
  await t.rejects(reading, { message: 'stop' })
  await t.rejects(all(listTree(repository.dir, '0'.repeat(40), controller.signal)), { message: 'stop' })
})
