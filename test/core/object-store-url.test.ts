import { test } from 'tap'
import { readObjectStoreUrl } from '../../src/core/object-store-url.ts'

test('a URL of an object store is taken apart', async t => {
  const s3 = { kind: 's3', region: 'us-east-1' }
  const rows: Array<[string, object]> = [
    ['postgres:', { kind: 'postgres' }],
    ['file:///srv/objects', { kind: 'folder', path: '/srv/objects' }],
    ['file:///srv/my%20objects/', { kind: 'folder', path: '/srv/my objects/' }],
    ['s3://bucket', { ...s3, endpoint: 'https://s3.us-east-1.amazonaws.com', bucket: 'bucket', prefix: '' }],
    [
      's3://my.bucket/a/b/?region=eu-central-1',
      {
        kind: 's3',
        endpoint: 'https://s3.eu-central-1.amazonaws.com',
        region: 'eu-central-1',
        bucket: 'my.bucket',
        prefix: 'a/b/',
      },
    ],
    [
      's3://bucket/a?endpoint=http://127.0.0.1:9000/',
      { ...s3, endpoint: 'http://127.0.0.1:9000', bucket: 'bucket', prefix: 'a/' },
    ],
    [
      's3://bucket?endpoint=https://gate.example/s3&region=garage',
      { kind: 's3', endpoint: 'https://gate.example/s3', region: 'garage', bucket: 'bucket', prefix: '' },
    ],
  ]
  for (const [text, address] of rows) t.same(readObjectStoreUrl(text), address, text)
})

test('what is no URL of an object store says why', async t => {
  const rows: Array<[string, RegExp]> = [
    ['', /no URL/],
    ['/srv/objects', /no URL/],
    ['https://bucket/', /scheme is https:/],
    ['postgres://user@host/db', /scheme is postgres:/],
    ['s3://key:secret@bucket', /credentials/],
    ['s3:///prefix', /no bucket/],
    ['s3://B', /no bucket/],
    ['s3://bucket?regoin=x', /parameter "regoin"/],
    ['s3://bucket?region=Über', /region/],
    ['s3://bucket/a b', /prefix/],
    ['s3://bucket/a//b', /prefix/],
    ['s3://bucket/.a', /prefix/],
    ['s3://bucket?endpoint=ftp://host', /endpoint is no http/],
    ['s3://bucket?endpoint=host:9000', /endpoint is no http/],
    ['s3://bucket?endpoint=https://a:b@host', /endpoint has more/],
    ['file://host/share', /no folder of this machine/],
    ['file:///srv?x=1', /more than a path/],
  ]
  for (const [text, problem] of rows) t.match(readObjectStoreUrl(text), { problem }, text)
})
