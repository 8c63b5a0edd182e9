import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { BlobCache } from '../../src/object-store/blobs/blob-cache.ts'
import { BlobStore } from '../../src/object-store/blobs/blob-store.ts'
import { openFolderStore } from '../../src/object-store/folder-store.ts'
import { createBlobUses } from '../../src/replication/blob-uses.ts'
import { BLOB_GRACE_MS, collectBlobs } from '../../src/replication/collect-blobs.ts'
import { sharedFileBytes } from '../../src/replication/job-file-bytes.ts'
import { ANY_VERSION, noPostgres, openTestDatabase, startPostgres } from '../helpers/postgres.ts'
import { openCloneJobs } from '../jobs/fixture.ts'

const never = new AbortController().signal
const LATER_MS = 25 * 3_600_000

test('files of jobs that all nodes reach', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const db = await openTestDatabase(t, server)
  const top = t.testdir()
  const blobs = new BlobStore(openFolderStore(join(top, 'objects')))
  let later = 0
  const now = () => new Date(Date.now() + later)
  const uses = createBlobUses({ db, blobs, graceMs: BLOB_GRACE_MS, now })
  const bytesOf = (node: string) =>
    sharedFileBytes({ db, blobs, uses, cache: new BlobCache(blobs, { folder: join(top, node), maxBytes: 1e9 }) }, never)
  const collect = () => collectBlobs({ blobs, uses, now, signal: never })
  const stored = () => readdirSync(join(top, 'objects/blobs'))

  const { jobs, root } = await openCloneJobs(
    t,
    async ({ step, files }) => {
      await step('write', () =>
        files.put(
          new Map([
            ['src/a.txt', 'kept'],
            ['b', 'other'],
          ]),
        ),
      )
      return step('end', async () => ({ b: String(await files.read('b')) }))
    },
    { fileBytes: bytesOf('one') },
  )
  const { id } = (await jobs.create('clone', {})).job
  t.match(await jobs.settled(id, 10_000), { status: 'succeeded', result: { b: 'other' } })
  t.equal(String(await jobs.readFile(id, 'src/a.txt')), 'kept')
  t.notOk(readdirSync(join(root, 'workspaces')).includes(id), 'nothing of it lies in the folder of the job')

  const [a] = (await jobs.files(id)).filter(({ path }) => path === 'src/a.txt')
  if (a === undefined) throw new Error('the file is not there')
  t.equal(String(await bytesOf('two').read(id, a)), 'kept', 'another node reads it, too')

  const retried = (await jobs.retry(id, {}, { fromStep: 'end' })).job
  t.match(await jobs.settled(retried.id, 10_000), { status: 'succeeded', result: { b: 'other' } })

  await jobs.remove(id)
  later = LATER_MS
  await collect()
  t.equal(stored().length, 2, 'what a retry took over stays')
  t.equal(String(await bytesOf('three').read(retried.id, a)), 'kept')

  for (const name of stored()) writeFileSync(join(top, 'objects/blobs', name), 'damaged')
  t.equal(await bytesOf('four').read(retried.id, a), null, 'damaged bytes are refused')
  rmSync(join(top, 'objects/blobs', a.sha256))
  t.equal(await bytesOf('five').read(retried.id, a), null)
  await t.rejects(jobs.retry(retried.id, {}, { fromStep: 'end' }), { code: 'DATA_DAMAGED' })

  await jobs.remove(retried.id)
  later = 2 * LATER_MS
  await collect()
  t.same(stored(), [], 'nothing is left of jobs that were forgotten')
})
