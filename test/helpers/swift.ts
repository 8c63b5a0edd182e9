import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, openSync, closeSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import type { S3Address } from '../../src/core/object-store-url.ts'

const ROOT = fileURLToPath(new URL('../../node_modules/.cache/swift', import.meta.url))
const PYTHON = '/usr/bin/python3'
const READY_MS = 60_000

/** What the server lets in. */
export const SWIFT_KEYS = { accessKeyId: 'test:tester', secretAccessKey: 'testing' }

const env = {
  PATH: '/usr/bin:/bin',
  PYTHONPATH: join(ROOT, 'usr/lib/python3/dist-packages'),
  PYTHONDONTWRITEBYTECODE: '1',
  LD_LIBRARY_PATH: join(ROOT, 'usr/lib/x86_64-linux-gnu'),
}

/** Why Swift cannot be started here, for the `skip` of a test; false where it can. */
export function noSwift(): string | false {
  if (!existsSync(ROOT)) return 'Swift is not unpacked: node scripts/unpack-swift.ts'
  try {
    const modules = 'swift.common.wsgi, swift.common.middleware.s3api.s3api, pyeclib, xattr, lxml'
    execFileSync(PYTHON, ['-c', `import ${modules}`], { env, stdio: 'pipe' })
    return false
  } catch {
    return `the Swift that is unpacked does not run with ${PYTHON}`
  }
}

/** The folder with its settings is fixed when it is installed; the programs take it from here. */
const LAUNCHER = `
import sys
import swift.common.utils as utils
utils.SWIFT_CONF_FILE = sys.argv[1]
from swift.common.wsgi import run_wsgi
sys.exit(run_wsgi(sys.argv[2], sys.argv[3]))
`

const KINDS = ['account', 'container', 'object'] as const

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'))
  await Promise.all(servers.map(server => once(server, 'listening')))
  const ports = servers.map(server => (server.address() as AddressInfo).port)
  for (const server of servers) server.close()
  return ports
}

const common = (folder: string, port: number): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
swift_dir = ${folder}
devices = ${folder}/srv
mount_check = false
fallocate_reserve = 0
user = ${userInfo().username}
workers = 0
`

const storage = (kind: string): string => `[pipeline:main]
pipeline = ${kind}-server
[app:${kind}-server]
use = egg:swift#${kind}
`

const PROXY = `[pipeline:main]
pipeline = catch_errors cache listing_formats s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:listing_formats]
use = egg:swift#listing_formats
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
rate_limit_after_segment = 100000
`

function makeRing(folder: string, kind: string, port: number): void {
  const builder = (...args: string[]) =>
    execFileSync(PYTHON, [join(ROOT, 'usr/bin/swift-ring-builder'), `${kind}.builder`, ...args], { cwd: folder, env })
  builder('create', '2', '1', '0')
  const device = ['--region', '1', '--zone', '1', '--ip', '127.0.0.1', '--port', String(port)]
  builder('add', ...device, '--device', 'd1', '--weight', '1')
  builder('rebalance')
}

async function untilReady(url: string, log: () => string): Promise<void> {
  for (const until = Date.now() + READY_MS; ;) {
    const answer = await fetch(url).catch(() => null)
    await answer?.arrayBuffer()
    if (answer !== null) return
    if (Date.now() > until) throw new Error(`Swift does not answer: ${log()}`)
    await delay(100)
  }
}

/** Starts Swift with one disk and its S3 API, and stops it in the teardown. The bucket is still to be made. */
export async function swiftServer(t: Test): Promise<S3Address> {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-swift-'))
  mkdirSync(join(folder, 'srv/d1'), { recursive: true })
  const conf = join(folder, 'swift.conf')
  writeFileSync(conf, '[swift-hash]\nswift_hash_path_prefix = a\nswift_hash_path_suffix = b\n')
  const ports = await freePorts(KINDS.length + 1)
  const logs = join(folder, 'log')
  const children = [...KINDS, 'proxy'].map((kind, i) => {
    const port = ports[i] ?? 0
    if (kind !== 'proxy') makeRing(folder, kind, port)
    return { kind, port }
  })
  const log = openSync(logs, 'a')
  const running = children.map(({ kind, port }) => {
    const file = join(folder, `${kind}-server.conf`)
    writeFileSync(file, common(folder, port) + (kind === 'proxy' ? PROXY : storage(kind)))
    const args = ['--pdeathsig=KILL', PYTHON, '-c', LAUNCHER, conf, file, `${kind}-server`]
    return spawn('setpriv', args, { env, stdio: ['ignore', log, log] })
  })
  closeSync(log)
  t.teardown(async () => {
    for (const child of running) {
      if (child.exitCode !== null) continue
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    }
    rmSync(folder, { recursive: true, force: true })
  })
  const endpoint = `http://127.0.0.1:${ports.at(-1)}`
  await untilReady(endpoint, () => readFileSync(logs, 'utf8').slice(-2_000))
  return { kind: 's3', endpoint, region: 'us-east-1', bucket: 'faultline', prefix: 'test/' }
}
