import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openS3Store } from '../../src/object-store/s3/s3-store.ts'
import { buildApp } from '../helpers/build-app.ts'
import { CLUSTER_SECRET } from '../helpers/cluster.ts'
import { faultyProxy } from '../helpers/faulty-proxy.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { S3_KEYS, s3Server } from '../helpers/s3-server.ts'
import { moveConfig, moveNow, PAINTING, tellAll, workOnSingleMachine } from '../helpers/single-machine.ts'
import { testFolder } from '../helpers/test-folder.ts'

const { signal } = new AbortController()

test('a move with a bucket', { skip: noPostgres(ANY_VERSION), timeout: 120_000 }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const top = testFolder(t)
  mkdirSync(join(top, 's3'))
  const single = await workOnSingleMachine(t, join(top, 'single'))
  const s3 = await s3Server(t, join(top, 's3'))
  const proxy = await faultyProxy(t, s3.endpoint)
  const databaseUrl = await server.createDatabase()
  const urlOf = (prefix: string, bucket = s3.bucket) =>
    `s3://${bucket}/${prefix}?endpoint=${encodeURIComponent(proxy.url)}&region=us-east-1`
  const keys = { S3_ACCESS_KEY_ID: S3_KEYS.accessKeyId, S3_SECRET_ACCESS_KEY: S3_KEYS.secretAccessKey }
  const env = { ...keys, ALLOW_LOCAL_REPOS: single.reposDir, OBJECT_STORE_URL: urlOf('one') }
  const configOf = (root: string, more: Record<string, string> = {}) =>
    moveConfig(root, databaseUrl, { ...env, ...more })
  const config = configOf(single.root)
  const isMarked = (root: string) => existsSync(join(root, 'data', '.move.json'))

  await t.test('what is wrong with the bucket is told before anything is moved', async t => {
    const refused = (message: RegExp, fix: RegExp) => ({ outcome: 'refused', obstacles: [{ message, fix }] })
    const none = configOf(single.root, { OBJECT_STORE_URL: urlOf('one', 'nobody') })
    const noBucket = refused(/did not .*404 NoSuchBucket.*[^.]\.$/, /^Make the bucket/)
    t.match(await moveNow(none, 'to_cluster', { checkOnly: true }), noBucket)
    t.match(await moveNow(none, 'to_cluster'), noBucket)

    const body = '<Error><Code>SignatureDoesNotMatch</Code><Message>They differ.</Message></Error>'
    proxy.faultOf = () => ({ kind: 'status', status: 403, body })
    const badKey = refused(/403 SignatureDoesNotMatch/, /^Check S3_SECRET_ACCESS_KEY/)
    t.match(await moveNow(config, 'to_cluster', { checkOnly: true }), badKey)

    proxy.faultOf = ({ method }) => (method === 'PUT' ? { kind: 'status', status: 403 } : null)
    t.match(await moveNow(config, 'to_cluster'), refused(/403\.$/, /what the key may do/), 'one that may only read')
    proxy.faultOf = () => null

    await using other = await openS3Store({ ...s3, prefix: 'one/' }, S3_KEYS)
    await other.put('blobs/of-another-cluster', Buffer.from('x'), signal)
    const filled = refused(/object store is not empty/, /another bucket, prefix or folder/)
    t.match(await moveNow(config, 'to_cluster', { checkOnly: true }), filled)
    t.match(await moveNow(config, 'to_cluster'), filled)
    await other.delete('blobs/of-another-cluster', signal)
    t.notOk(isMarked(single.root))
    t.match(await moveNow(config, 'to_cluster', { checkOnly: true }), { outcome: 'possible' })
  })

  await t.test('there: a store that goes away in the middle is said, and the move goes on', async t => {
    let puts = 0
    proxy.faultOf = ({ method }) => (method === 'PUT' && ++puts > 3 ? { kind: 'status', status: 403 } : null)
    await t.rejects(moveNow(config, 'to_cluster'), {
      code: 'OBJECT_STORE_UNAVAILABLE',
      fix: /may do in the bucket\. Then run "faultline move --to-cluster" again: it goes on where it was\.$/,
    })
    proxy.faultOf = () => null
    const elsewhere = configOf(single.root, { OBJECT_STORE_URL: urlOf('two') })
    t.match(await moveNow(elsewhere, 'to_cluster'), {
      outcome: 'refused',
      obstacles: [{ message: /began with the objects in s3:\/\/faultline\/one\/ of .*; OBJECT_STORE_URL names/ }],
    })
    t.match(await moveNow(config, 'to_cluster'), { outcome: 'moved', isContinued: true })
    const node = await buildApp(t, {
      root: join(top, 'node'),
      definitions: PAINTING,
      env: { ...env, DATABASE_URL: databaseUrl, NODE_NAME: 'one', CLUSTER_SECRET },
    })
    t.same(await tellAll(node, single), single.told)
    await node.close()
  })

  await t.test('and back', async t => {
    const back = join(top, 'back')
    mkdirSync(back)
    const elsewhere = configOf(back, { OBJECT_STORE_URL: urlOf('two') })
    const nothing = { outcome: 'refused', obstacles: [{ message: /has nothing of what the cluster keeps there/ }] }
    t.match(await moveNow(elsewhere, 'from_cluster', { checkOnly: true }), nothing)
    t.match(await moveNow(elsewhere, 'from_cluster'), nothing)
    t.match(await moveNow(configOf(back), 'from_cluster'), { outcome: 'moved' })
    const again = await buildApp(t, { root: back, definitions: PAINTING, env: { ALLOW_LOCAL_REPOS: single.reposDir } })
    t.same(await tellAll(again, single), single.told)
    await again.close()
  })
})
