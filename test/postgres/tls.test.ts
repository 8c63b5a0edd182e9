import { execFileSync } from 'node:child_process'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openDatabase } from '../../src/postgres/pool.ts'
import { databaseSettings, noPostgres, POSTGRES_VERSIONS, startPostgres } from '../helpers/postgres.ts'
import { testFolder } from '../helpers/test-folder.ts'

const openssl = (folder: string, ...args: string[]): void => {
  execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
}

/** Certificates: `ca.pem` signed `server.crt`, which is for localhost; `other.pem` signed nothing. */
function makeCertificates(folder: string): void {
  for (const name of ['ca', 'other']) {
    const subject = ['-subj', `/CN=${name}`, '-days', '2', '-keyout', `${name}.key`, '-out', `${name}.pem`]
    openssl(folder, 'req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject)
  }
  openssl(
    folder,
    'req',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    '/CN=localhost',
    '-keyout',
    'server.key',
    '-out',
    'a',
  )
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:localhost\n')
  const signed = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names']
  openssl(folder, 'x509', '-req', '-in', 'a', ...signed, '-out', 'server.crt')
}

for (const version of POSTGRES_VERSIONS) {
  test(`TLS, PostgreSQL ${version}`, { skip: noPostgres(version) }, async t => {
    const folder = testFolder(t)
    makeCertificates(folder)
    const server = await startPostgres(version, {
      settings: { ssl: 'on' },
      prepare(data) {
        for (const file of ['server.crt', 'server.key']) copyFileSync(join(folder, file), join(data, file))
      },
    })
    t.teardown(() => server.close())
    const { port, pathname } = new URL(await server.createDatabase())
    const [ca, other] = [join(folder, 'ca.pem'), join(folder, 'other.pem')]

    /** Whether the connection is encrypted. */
    async function isEncrypted(host: string, parameters: string): Promise<unknown> {
      const url = `postgres://postgres@${host}:${port}${pathname}?${parameters}`
      const db = openDatabase(databaseSettings(url), { name: 'tls.test', onError: () => {} })
      try {
        return (await db.query('SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()')).rows[0]?.ssl
      } finally {
        await db.close()
      }
    }

    await t.test('is spoken as the URL says', async t => {
      t.equal(await isEncrypted('127.0.0.1', 'sslmode=disable'), false)
      t.equal(await isEncrypted('127.0.0.1', 'sslmode=require'), true, 'whoever signed the certificate')
      t.equal(await isEncrypted('127.0.0.1', `sslmode=verify-ca&sslrootcert=${ca}`), true, 'whatever the name')
      t.equal(await isEncrypted('127.0.0.1', `sslmode=require&sslrootcert=${ca}`), true)
      t.equal(await isEncrypted('localhost', `sslmode=verify-full&sslrootcert=${ca}`), true)
      const several = `127.0.0.1:1,localhost`
      t.equal(await isEncrypted(several, `sslmode=verify-full&sslrootcert=${ca}`), true, 'the name is that of the host')
    })

    await t.test('what is not to be believed is refused in one sentence', async t => {
      const signer = /^TLS with the database failed \([A-Z_]+\)\.$/
      for (const [host, parameters, message] of [
        ['localhost', 'sslmode=verify-full', signer],
        ['localhost', 'sslmode=verify-ca', signer],
        ['localhost', `sslmode=verify-ca&sslrootcert=${other}`, signer],
        ['localhost', `sslmode=require&sslrootcert=${other}`, signer],
        ['127.0.0.1', `sslmode=verify-full&sslrootcert=${ca}`, /\(ERR_TLS_CERT_ALTNAME_INVALID\)\.$/],
        ['127.0.0.1:1,127.0.0.1', `sslmode=verify-full&sslrootcert=${ca}`, /\(ERR_TLS_CERT_ALTNAME_INVALID\)\.$/],
      ] as const) {
        await t.rejects(
          isEncrypted(host, parameters),
          { code: 'DATABASE_UNAVAILABLE', message, fix: /sslrootcert/ },
          parameters,
        )
      }
    })

    await t.test('certificates that cannot be read are told of', async t => {
      await t.rejects(isEncrypted('localhost', 'sslmode=verify-full&sslrootcert=/nowhere.pem'), {
        code: 'CONFIG_INVALID',
        message: 'The certificates that sslrootcert of DATABASE_URL names cannot be read (ENOENT).',
      })
    })
  })
}

test('a server that speaks no TLS is refused in one sentence', { skip: noPostgres(18) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const url = `${await server.createDatabase()}?sslmode=require`
  const db = openDatabase(databaseSettings(url), { name: 'tls.test', onError: () => {} })
  t.teardown(() => db.close())
  await t.rejects(db.query('SELECT 1'), {
    code: 'DATABASE_UNAVAILABLE',
    message: 'TLS with the database failed (it speaks none).',
  })
})

test('a user or a database that is refused is told of', { skip: noPostgres(18) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  const url = new URL(await server.createDatabase())
  url.username = 'nobody'
  const db = openDatabase(databaseSettings(url.href), { name: 'tls.test', onError: () => {} })
  t.teardown(() => db.close())
  await t.rejects(db.query('SELECT 1'), {
    code: 'DATABASE_UNAVAILABLE',
    message: 'The database refuses the connection (28000).',
    fix: /user/,
  })
})
