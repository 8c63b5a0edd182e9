import crypto from 'node:crypto'
import S3rver from 's3rver'
import type { Test } from 'tap'
import type { S3Address } from '../../src/core/object-store-url.ts'
import { testFolder } from './test-folder.ts'

/** What the server lets in. */
export const S3_KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

/**
 * The server writes the tokens of listings with DES, which OpenSSL 3 leaves out; triple DES with one key three times is
 * the same.
 */
function bringBackDes(): void {
  const { createCipheriv, createDecipheriv } = crypto
  const thrice = (key: unknown): Buffer => Buffer.concat([key, key, key] as Buffer[])
  const patched = (create: typeof createCipheriv | typeof createDecipheriv) =>
    ((algorithm: string, key: unknown, ...rest: [never]) =>
      algorithm === 'des'
        ? create('des-ede3-cbc', thrice(key), ...rest)
        : create(algorithm, key as never, ...rest)) as never
  Object.assign(crypto, { createCipheriv: patched(createCipheriv), createDecipheriv: patched(createDecipheriv) })
}

bringBackDes()

/**
 * Starts an S3 server on loopback, with a bucket `faultline`, and stops it in the teardown.
 *
 * @param directory - Where its objects are; default: the folder of the test.
 */
export async function s3Server(t: Test, directory = testFolder(t)): Promise<S3Address> {
  const service = new S3rver({
    address: '127.0.0.1',
    port: 0,
    directory,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: 'faultline', configs: [] }],
  })
  Object.assign(service, { logger: Object.assign((service as unknown as { logger: object }).logger, { silent: true }) })
  const { port } = await service.run()
  t.teardown(() => service.close())
  return { kind: 's3', endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', bucket: 'faultline', prefix: 'test/' }
}
