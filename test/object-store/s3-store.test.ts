import { test, type Test } from 'tap'
import type { ObjectStore } from '../../src/object-store/object-store.ts'
import { openObjectStore } from '../../src/object-store/open-object-store.ts'
import { openS3Store } from '../../src/object-store/s3/s3-store.ts'
import { objectStoreContract } from '../contracts/object-store.ts'
import { S3_KEYS, s3Server } from '../helpers/s3-server.ts'

test('the contract of object stores, in S3', async t => {
  const address = await s3Server(t)
  let stores = 0
  const open = async (t: Test): Promise<ObjectStore> => {
    const store = await openS3Store({ ...address, prefix: `test-${++stores}/` }, S3_KEYS, {
      partBytes: 5 * 1024 * 1024,
    })
    t.teardown(() => store[Symbol.asyncDispose]())
    return store
  }
  objectStoreContract(t, open, { hasAtomicPuts: false })
})

test('a store that lacks a setting is refused before anything is asked', async t => {
  const address = { kind: 's3', endpoint: 'http://127.0.0.1:1', region: 'x', bucket: 'b', prefix: '' } as const
  const none = { code: 'CONFIG_INVALID' }
  await t.rejects(openObjectStore({ address, credentials: null }, null), { ...none, fix: /S3_ACCESS_KEY_ID/ })
  await t.rejects(openObjectStore({ address: { kind: 'postgres' }, credentials: null }, null), {
    ...none,
    fix: /DATABASE_URL/,
  })
  await using store = await openObjectStore({ address, credentials: S3_KEYS }, null)
  t.equal(store.name, 's3://b')
})
