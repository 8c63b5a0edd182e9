import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { test, type Test } from 'tap'
import { inspectArchive, withArchive } from '../../../src/repos/uploads/open-archive.ts'

const LIMITS = { maxEntries: 1_000, maxBytes: 1_048_576 }

/** An archive with these names in it; those that end in a slash are folders. */
async function archive(t: Test, ...names: string[]): Promise<string> {
  const tar = pack()
  for (const name of names) {
    if (name.endsWith('/')) tar.entry({ name, type: 'directory' })
    else tar.entry({ name }, 'x')
  }
  tar.finalize()
  const file = join(t.testdir(), 'tree.tar.gz')
  writeFileSync(file, gzipSync(await buffer(tar)))
  return file
}

const never = (): AbortSignal => new AbortController().signal

async function kindOf(t: Test, ...names: string[]) {
  return await withArchive(await archive(t, ...names), { ...LIMITS, signal: never() }, inspectArchive)
}

test('an archive holds a repository where HEAD stands beside objects and refs, and no deeper than one folder', async t => {
  const gitIn = (prefix: string): string[] => ['HEAD', 'objects/', 'refs/'].map(name => `${prefix}${name}`)
  for (const prefix of ['', 'shop.git/', '.git/', 'shop/.git/']) {
    t.same(await kindOf(t, ...gitIn(prefix)), { kind: 'repository', prefix }, prefix)
  }
  t.same(await kindOf(t, 'shop/HEAD', 'shop/objects/ab/x', 'shop/refs/heads/main'), {
    kind: 'repository',
    prefix: 'shop/',
  })
  t.same(await kindOf(t, ...gitIn('shop/fixture/')), { kind: 'tree', prefix: 'shop/' }, 'a fixture of a project')
  t.same(await kindOf(t, ...gitIn('a/b/.git/')), { kind: 'tree', prefix: 'a/' })
  t.same(await kindOf(t, 'HEAD', 'objects/'), { kind: 'tree', prefix: '' }, 'without refs')
  t.same(await kindOf(t, 'HEAD', 'refs/'), { kind: 'tree', prefix: '' }, 'without objects')
  t.same(await kindOf(t, 'HEAD/', 'objects/', 'refs/'), { kind: 'tree', prefix: '' }, 'HEAD is a folder')
})

test('the one folder that holds all of a tree does not count', async t => {
  t.same(await kindOf(t, 'shop/', 'shop/a.py', 'shop/b/c.py'), { kind: 'tree', prefix: 'shop/' })
  t.same(await kindOf(t, './', './shop/a.py'), { kind: 'tree', prefix: 'shop/' })
  t.same(await kindOf(t, 'a/x.py', 'b/x.py'), { kind: 'tree', prefix: '' })
  t.same(await kindOf(t, 'a/x.py', 'b/x.py', 'a/y.py'), { kind: 'tree', prefix: '' }, 'also when the first comes again')
  t.same(await kindOf(t, 'a.py'), { kind: 'tree', prefix: '' }, 'a file is no folder')
  t.same(await kindOf(t, '.git/config'), { kind: 'tree', prefix: '' })
  await t.rejects(kindOf(t), { code: 'REPOSITORY_CORRUPT' }, 'nothing')
})

test('only what the unpacking says is called damage', async t => {
  const file = await archive(t, 'a.py')
  const open = async (path: string, use: () => Promise<void>, signal = never()) =>
    await withArchive(path, { ...LIMITS, signal }, async entries => {
      await use()
      await inspectArchive(entries)
    })
  const nothing = async () => {}
  const failing = async () => {
    throw new Error('of the one who reads')
  }
  await t.rejects(open(file, failing), { message: 'of the one who reads' })
  await t.rejects(open(`${file}.missing`, nothing), { code: 'ENOENT' })
  writeFileSync(`${file}.bad`, 'no gzip at all')
  await t.rejects(open(`${file}.bad`, nothing), { code: 'REPOSITORY_CORRUPT', fix: /gzip -t/ })
  const controller = new AbortController()
  const stopped = async () => {
    controller.abort(new Error('stop'))
  }
  await t.rejects(open(file, stopped, controller.signal), { message: 'stop' }, 'an abort is no damage')
})
