import { AwsV4Signer } from 'aws4fetch'
import { test, type Test } from 'tap'
import type { S3Address } from '../../src/core/object-store-url.ts'
import type { ObjectStore } from '../../src/object-store/object-store.ts'
import { openS3Store } from '../../src/object-store/s3/s3-store.ts'
import { contentOf, objectStoreContract } from '../contracts/object-store.ts'
import { faultyProxy } from '../helpers/faulty-proxy.ts'
import { noSwift, SWIFT_KEYS, swiftServer } from '../helpers/swift.ts'

const never = new AbortController().signal
const MIB = 1_048_576

async function makeBucket({ endpoint, bucket, region }: S3Address): Promise<void> {
  const signer = new AwsV4Signer({
    method: 'PUT',
    url: `${endpoint}/${bucket}`,
    ...SWIFT_KEYS,
    service: 's3',
    region,
  })
  const { url, headers } = await signer.sign()
  const { ok, status } = await fetch(url, { method: 'PUT', headers })
  if (!ok) throw new Error(`the bucket was not made: ${status}`)
}

test('the S3 API of Swift, which checks what it is sent', { skip: noSwift(), timeout: 300_000 }, async t => {
  const address = await swiftServer(t)
  await makeBucket(address)
  let stores = 0
  const open = async (t: Test): Promise<ObjectStore> => {
    const options = { partBytes: 5 * MIB, delaysMs: [1, 1] }
    const store = await openS3Store({ ...address, prefix: `test-${++stores}/` }, SWIFT_KEYS, options)
    t.teardown(() => store[Symbol.asyncDispose]())
    return store
  }
  objectStoreContract(t, open)

  t.test('bytes that change on their way up are refused, and sent again', async t => {
    const proxy = await faultyProxy(t, address.endpoint, { checksBodies: false })
    const store = await openS3Store({ ...address, endpoint: proxy.url }, SWIFT_KEYS, { delaysMs: [1, 1] })
    const direct = await openS3Store(address, SWIFT_KEYS)
    t.teardown(() => Promise.all([store[Symbol.asyncDispose](), direct[Symbol.asyncDispose]()]))
    proxy.failNext(1, { kind: 'flip', sent: true })
    await store.put('changed', Buffer.from('a small object'), never)
    t.equal(String(await contentOf(direct, 'changed')), 'a small object')
    proxy.faultOf = ({ method }) => (method === 'PUT' ? { kind: 'flip', sent: true } : null)
    await t.rejects(store.put('changed-again', Buffer.from('another'), never), { code: 'OBJECT_STORE_UNAVAILABLE' })
    t.equal(await direct.head('changed-again', never), null)
  })

  t.test('wrong keys and buckets are refused with their cures', async t => {
    const wrong = await openS3Store(address, { ...SWIFT_KEYS, secretAccessKey: 'other' })
    const none = await openS3Store({ ...address, bucket: 'nothing-here' }, SWIFT_KEYS)
    t.teardown(() => Promise.all([wrong[Symbol.asyncDispose](), none[Symbol.asyncDispose]()]))
    const refused = { code: 'OBJECT_STORE_UNAVAILABLE', isTransient: false }
    await t.rejects(wrong.put('a', Buffer.from('x'), never), { ...refused, fix: /S3_SECRET_ACCESS_KEY/ })
    await t.rejects(none.put('a', Buffer.from('x'), never), { ...refused, fix: /bucket/ })
    await t.rejects(none.get('a', never), { ...refused, fix: /bucket/ })
  })
})
