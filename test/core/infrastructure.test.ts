import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { infrastructureFailure, INFRASTRUCTURE_RULES } from '../../src/core/infrastructure.ts'

const FAILURES: Array<[rule: string, line: string]> = [
  ['disk', "Error: ENOSPC: no space left on device, write '/tmp/x'"],
  ['disk', 'fatal: write error: No space left on device'],
  ['disk', 'tar: app.js: Wrote only 2048 of 10240 bytes: Disk quota exceeded'],
  ['disk', 'System.IO.IOException: There is not enough space on the disk.'],
  ['memory', '/bin/sh: fork: Cannot allocate memory'],
  ['memory', 'c++: fatal error: Killed signal terminated program cc1plus'],
  ['memory', '  (signal: 9, SIGKILL: kill)'],
  ['memory', '[ 1234.5] Out of memory: Killed process 4711 (node)'],
  ['memory', 'reason: OOMKilled'],
  ['runner', '##[error]The runner has received a shutdown signal.'],
  ['runner', 'The hosted runner: GitHub Actions 12 lost communication with the server.'],
  ['runner', 'Error: The operation was canceled.'],
  ['runner', 'ERROR: Job failed (system failure): runner system failure'],
  ['runner', 'ERROR: Job execution took longer than 1h0m0s seconds'],
  ['runner', 'Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?'],
  ['registry', 'npm ERR! code ECONNRESET'],
  ['registry', 'npm error code E503'],
  ['registry', 'npm error network request to https://registry.npmjs.org/tap failed'],
  ['registry', ' ERR_PNPM_META_FETCH_FAIL  GET https://registry.npmjs.org/tap: request failed'],
  ['registry', "HTTPSConnectionPool(host='files.pythonhosted.org', port=443): Read timed out."],
  [
    'registry',
    'ERROR: Could not fetch URL https://pypi.org/simple/x/: There was a problem confirming the ssl certificate',
  ],
  ['registry', 'warning: spurious network error (3 tries remaining): timeout was reached'],
  ['registry', '> Could not GET https://repo.maven.apache.org/maven2/a.pom. Received status code 503 from server'],
  ['registry', 'Error response from daemon: Get "https://registry-1.docker.io/v2/": net/http: TLS handshake timeout'],
  ['registry', 'toomanyrequests: You have reached your pull rate limit.'],
  ['registry', 'Gem::RemoteFetcher::FetchError: too many connection resets (https://rubygems.org/gems/x.gem)'],
  ['registry', 'E: Failed to fetch http://archive.ubuntu.com/ubuntu/pool/x.deb  Hash Sum mismatch'],
  ['network', 'curl: (6) Could not resolve host: example.com'],
  ['network', 'curl: (28) Operation timed out after 30001 milliseconds'],
  ['network', "fatal: unable to access 'https://github.com/a/b/': Failed to connect to github.com port 443"],
  ['network', 'error: RPC failed; curl 56 GnuTLS recv error'],
  ['network', 'socket.gaierror: [Errno -3] Temporary failure in name resolution'],
  ['network', 'Error: getaddrinfo EAI_AGAIN db.internal'],
  ['network', 'ssh: connect to host github.com port 22: Connection timed out'],
]

const OTHERS = [
  'TypeError: Cannot read properties of undefined',
  'npm ERR! code ELIFECYCLE',
  'npm error code E404',
  'npm error 404 Not Found - GET https://registry.npmjs.org/no-such - Not found',
  'AssertionError: expected 503 to equal 200',
  'Error: connect ECONNREFUSED 127.0.0.1:5432',
  'ok 3 - retries after a timeout',
  'test network::resolves_hosts ... FAILED',
  'java.lang.OutOfMemoryError: Java heap space',
  'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
  'MemoryError',
  'ModuleNotFoundError: No module named requests',
  'error[E0425]: cannot find value `x` in this scope',
  'Process finished with exit code 137 was expected',
]

test('lines by which a machine says that it failed are told by their rule', async t => {
  for (const [rule, line] of FAILURES) t.equal(infrastructureFailure(`first\n${line}\nlast`)?.rule, rule, line)
})

test('what programs say of themselves is no failure of the machine', async t => {
  for (const line of OTHERS) t.equal(infrastructureFailure(line), null, line)
})

test('the line is shown, a long one not whole', async t => {
  t.equal(infrastructureFailure('a\n  curl: (6) no host  \n')?.line, 'curl: (6) no host')
  t.equal(infrastructureFailure(`curl: (6) ${'x'.repeat(5000)}`)?.line.length, 200)
  t.equal(infrastructureFailure(`${'x'.repeat(5000)} curl: (6)`), null, 'the end of a very long line is not read')
})

test('docs/ci.md lists every rule', async t => {
  const page = readFileSync(new URL('../../docs/ci.md', import.meta.url), 'utf8')
  for (const { name } of INFRASTRUCTURE_RULES) t.match(page, new RegExp(`\\| \`${name}\``), name)
})
