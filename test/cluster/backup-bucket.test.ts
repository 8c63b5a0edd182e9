import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import type { S3Address } from '../../src/core/object-store-url.ts'
import { openS3Store } from '../../src/object-store/s3/s3-store.ts'
import { cloneInto } from '../helpers/build-app.ts'
import { startNodes, type TestNode } from '../helpers/cluster.ts'
import { documented, DUMP_VERSION } from '../helpers/documented.ts'
import { noPostgres, startPostgres } from '../helpers/postgres.ts'
import { S3_KEYS, s3Server } from '../helpers/s3-server.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

const { signal } = new AbortController()

/** Copies what lies below one prefix of a bucket to below another one, as `rclone copy` does. */
async function copyObjects(s3: S3Address, from: string, to: string): Promise<void> {
  await using source = await openS3Store({ ...s3, prefix: from }, S3_KEYS)
  await using target = await openS3Store({ ...s3, prefix: to }, S3_KEYS)
  for await (const page of source.list('', signal)) {
    for (const { key } of page) {
      const found = await source.get(key, signal)
      if (found !== null) await target.put(key, found.content, signal)
    }
  }
}

const definitions = {
  generate: scriptedJob(async ({ files, step, id }) => {
    await step('keep', () => files.put(new Map([['kept.txt', `kept by ${id}`]])))
    return 'kept'
  }),
}

async function keep({ services }: TestNode): Promise<string> {
  const { job } = await services.jobs.create('generate', { project_name: 'shop' })
  return (await services.jobs.settled(job.id, 30_000)).id
}

async function resolveAt({ app }: TestNode) {
  const payload = { stacktrace: SHOP_TRACE, project_name: 'shop', mode: 'context' }
  const res = await app.inject({ method: 'POST', url: '/resolve', payload })
  const { commit, code } = res.json<{ commit?: string; code?: string }>()
  return { status: res.statusCode, commit, code }
}

const keptAt = async ({ app }: TestNode, id: string) => {
  const res = await app.inject(`/jobs/${id}/files/kept.txt`)
  return res.statusCode === 200 ? res.body : res.json<{ code: string }>().code
}

test('a cluster with a bucket is the same again from its backup', { skip: noPostgres(DUMP_VERSION) }, async t => {
  const folder = t.testdir({ repos: {} })
  mkdirSync(join(folder, 's3'))
  const s3 = await s3Server(t, join(folder, 's3'))
  const server = await startPostgres(DUMP_VERSION)
  t.teardown(() => server.close())

  async function startOn(t: Test, url: string, { name, prefix }: { name: string; prefix: string }): Promise<TestNode> {
    const env = {
      ALLOW_LOCAL_REPOS: join(folder, 'repos'),
      OBJECT_STORE_URL: `s3://${s3.bucket}/${prefix}?endpoint=${encodeURIComponent(s3.endpoint)}&region=us-east-1`,
      S3_ACCESS_KEY_ID: S3_KEYS.accessKeyId,
      S3_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey,
    }
    const below = folder
    const [node] = await startNodes(t, { createDatabase: async () => url }, { [name]: { definitions, env, below } })
    return node as TestNode
  }

  const url = await server.createDatabase()
  const node = await startOn(t, url, { name: 'first', prefix: 'own' })
  const shop = createShop(join(folder, 'repos/shop.git'))
  await cloneInto(t, node, { url: shop.dir, project_name: 'shop' })
  const before = await keep(node)
  await copyObjects(s3, 'own/', 'early/')
  const commit = shop.commit({ 'src/shop/later.py': 'def later():\n    return 1\n' })
  await cloneInto(t, node, { url: shop.dir, project_name: 'shop' })
  const later = await keep(node)
  documented('pg_dump', { url, folder })
  await copyObjects(s3, 'own/', 'late/')
  await node.close()
  rmSync(join(folder, 's3', s3.bucket, 'own'), { recursive: true })

  async function restore(): Promise<string> {
    const restored = await server.createDatabase()
    documented('pg_restore', { url: restored, folder })
    return restored
  }

  await t.test('the bucket copied after the database', async t => {
    const node = await startOn(t, await restore(), { name: 'late', prefix: 'late' })
    t.match(await resolveAt(node), { status: 200, commit })
    t.equal(await keptAt(node, before), `kept by ${before}`)
    t.equal(await keptAt(node, later), `kept by ${later}`)
    await node.close()
  })

  await t.test('one of before the database lacks what was made in between', async t => {
    const node = await startOn(t, await restore(), { name: 'early', prefix: 'early' })
    t.equal(await keptAt(node, before), `kept by ${before}`)
    t.equal(await keptAt(node, later), 'DATA_DAMAGED')
    t.match(await resolveAt(node), { status: 409, code: 'INDEX_NOT_READY' })
    await cloneInto(t, node, { url: shop.dir, project_name: 'shop' })
    t.match(await resolveAt(node), { status: 200, commit })
    await node.close()
  })
})
