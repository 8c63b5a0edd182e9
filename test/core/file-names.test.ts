import { test } from 'tap'
import { isBinaryName, isLockFileName, isMinifiedName, isUnsafePath } from '../../src/core/file-names.ts'
import { reasonFor, select, tracked } from '../indexer/filter-fixture.ts'

test('secrets are known by their names, examples of them are not secrets', async t => {
  for (const path of [
    '.env',
    '.env.production',
    'config/prod.env',
    '.env.local',
    'server.pem',
    'tls/private.key',
    'id_rsa',
    'id_ed25519',
    '.npmrc',
    '.netrc',
    '.pypirc',
    'credentials.json',
    'config/secrets.yml',
    'app.jks',
    'x.keystore',
    'google-credentials.json',
    'aws_credentials.ini',
    'gcp-key.json',
    'firebase-adminsdk.json',
    'shop-firebase-adminsdk-x1.json',
    'kubeconfig',
    'kubeconfig.yaml',
    'prod.kubeconfig',
    'kubeconfig-prod',
    'prod-secrets.enc.yaml',
    'service-account-prod.json',
    '.aws/credentials',
    '.docker/config.json',
    'terraform.tfvars',
    '.git-credentials',
    '.htpasswd',
    'ID_RSA',
  ]) {
    t.equal(reasonFor(path), 'secret', path)
  }
  t.same(
    select(
      [
        '.env.example',
        '.env.sample',
        'secrets.py',
        'credentials.go',
        'key.ts',
        'Lib/netrc.py',
        'aws_credentials.py',
        'kubeconfig.go',
        'kubeconfig_test.go',
        'monkey.json',
        'google-credentials.ts',
      ].map(path => tracked(path)),
    ).paths.length,
    11,
  )
})

test('lock files and minified files are known by their names', async t => {
  for (const path of ['a/package-lock.json', 'Cargo.lock', 'go.sum', 'GEMFILE.LOCK']) t.ok(isLockFileName(path), path)
  for (const path of ['lock.py', 'a/locks/go.py']) t.notOk(isLockFileName(path), path)
  for (const path of ['a/jquery.min.js', 'a-min.css']) t.ok(isMinifiedName(path), path)
  t.notOk(isMinifiedName('admin.js'))
})

test('an ending tells that content is binary', async t => {
  for (const path of ['a.PNG', 'lib/x.so', 'a.tar.gz']) t.ok(isBinaryName(path), path)
  for (const path of ['png', 'a.svg', 'a.ts']) t.notOk(isBinaryName(path), path)
})

test('paths that could do harm are refused', async t => {
  for (const path of ['', '/a', 'a//b', './a', 'a/../b', 'a\\b', 'a\nb', 'a\u202Eb', 'a\uFFFDb', 'x'.repeat(256)]) {
    t.ok(isUnsafePath(path), JSON.stringify(path))
  }
  t.ok(isUnsafePath(`${'d/'.repeat(100)}x`))
  t.ok(isUnsafePath(`${'dd/'.repeat(1400)}x`))
  for (const path of ['a/b c/d.py', 'a/…/ü.py', `${'d/'.repeat(99)}x`, 'x'.repeat(255)]) {
    t.notOk(isUnsafePath(path), path)
  }
})
