import { test } from 'tap'
import { readDatabaseUrl } from '../../src/core/database-url.ts'

test('a URL is taken apart, with defaults for what it leaves out', async t => {
  t.same(readDatabaseUrl('postgresql://me:p%40ss@db.example.com/shop'), {
    hosts: [{ host: 'db.example.com', port: 5432 }],
    user: 'me',
    password: 'p@ss',
    database: 'shop',
    sslMode: 'disable',
    rootCertificate: null,
    sessionAttributes: null,
  })
  t.match(readDatabaseUrl('postgres://me@db/shop?sslmode=verify-ca&sslrootcert=/etc/ca.pem'), {
    sslMode: 'verify-ca',
    rootCertificate: '/etc/ca.pem',
  })
})

test('several hosts stand beside each other, as in libpq', async t => {
  const url = 'postgresql://me:a,b@one:5433,two,[::1]:5434/shop?target_session_attrs=read-write&sslmode=require'
  t.match(readDatabaseUrl(url), {
    hosts: [
      { host: 'one', port: 5433 },
      { host: 'two', port: 5432 },
      { host: '::1', port: 5434 },
    ],
    password: 'a,b',
    sessionAttributes: 'read-write',
    sslMode: 'require',
  })
})

test('what is wrong with a URL is said without its password', async t => {
  for (const [url, problem] of [
    ['db/shop', /no URL/],
    ['postgres://me:s3cret@one:x,two/shop', /no URL/],
    ['mysql://me:s3cret@db/shop', /scheme/],
    ['postgres://me:s3cret@one,/shop', /no URL/],
    ['postgres://one,/shop', /names no host/],
    ['postgres://db/shop', /names no host, user/],
    ['postgres://me:s3cret@db/shop?x=1', /parameter "x"/],
    ['postgres://me:s3cret@db/shop?sslmode=prefer', /sslmode is "prefer"/],
    ['postgres://me:s3cret@db/shop?target_session_attrs=writable', /target_session_attrs is "writable"/],
  ] as const) {
    const found = readDatabaseUrl(url)
    t.match(found, { problem }, url)
    t.notMatch(JSON.stringify(found), /s3cret/)
  }
})
