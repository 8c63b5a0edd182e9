import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openFolderStore } from '../../src/object-store/folder-store.ts'
import { shareUploads } from '../../src/replication/shared-uploads.ts'

const { signal } = new AbortController()

test('a file that one node received is there for the node that needs it, until it is discarded', async t => {
  const root = t.testdir()
  const objects = openFolderStore(join(root, 'objects'))
  const [one, two] = [join(root, 'one'), join(root, 'two', '.uploads')]
  mkdirSync(one)
  writeFileSync(join(one, 'upl_1'), 'bytes '.repeat(100_000))
  const sender = shareUploads(objects, one)
  const worker = shareUploads(objects, two)
  await worker.bring('upl_1', signal)
  t.notOk(existsSync(two), 'nothing is anywhere yet')
  await sender.keep('upl_1', signal)
  await worker.bring('upl_1', signal)
  t.same(readFileSync(join(two, 'upl_1')), readFileSync(join(one, 'upl_1')))
  t.same(readdirSync(two), ['upl_1'])
  writeFileSync(join(two, 'upl_1'), 'mine')
  await worker.bring('upl_1', signal)
  t.equal(readFileSync(join(two, 'upl_1'), 'utf8'), 'mine', 'what is here is not fetched again')
  await worker.discard('upl_1', signal)
  t.equal(await objects.head('uploads/upl_1', signal), null)
})

test('what no job can need any more is deleted', async t => {
  const root = t.testdir({ upl_1: 'a' })
  const objects = openFolderStore(join(root, 'objects'))
  await shareUploads(objects, root).keep('upl_1', signal)
  await shareUploads(objects, root, () => Date.now() + 13 * 86_400_000).collect(signal)
  t.ok(await objects.head('uploads/upl_1', signal))
  await shareUploads(objects, root, () => Date.now() + 15 * 86_400_000).collect(signal)
  t.equal(await objects.head('uploads/upl_1', signal), null)
})
