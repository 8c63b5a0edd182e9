import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { ENVIRONMENT } from '../../src/config.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PAGE = readFileSync(join(ROOT, 'docs', 'privacy.md'), 'utf8')

/** Git makes connections in a process of its own. */
const GIT = 'src/repos/git/git-process.ts'

/** Every source that can open a connection to another machine, and the row of the page that tells of it. */
const DOORS = new Map([
  ['src/cli/backend/http.ts', 'the command line with a server'],
  ['src/cli/doctor-checks.ts', '`faultline doctor --online`'],
  ['src/llm/client/openai-client.ts', 'explanation of a trace'],
  ['src/llm/proxy/model-proxy.ts', 'generate, improve, heal, fix, run, feature'],
  ['src/forges/forge-http.ts', 'pull requests, reviewers'],
  ['src/outbound/callbacks.ts', 'callbacks'],
  ['src/outbound/telegram/bot-api.ts', 'notifications'],
  ['src/object-store/s3/s3-store.ts', 'several machines: the object store'],
  ['src/postgres/pool.ts', 'several machines: the database'],
  ['src/postgres/hosts.ts', 'several machines: the database'],
  ['src/jobs/hand-out/pg-boss/entry-queue.ts', 'several machines: the database'],
  ['src/cluster/forwarding/forwarder.ts', 'several machines: the other nodes'],
  [GIT, 'clone, update, history'],
  ['src/repos/remote/redirect-target.ts', 'clone, update, history'],
  ['src/sandbox/network/registry-proxy.ts', 'packages for programs'],
])

const OPENS = [
  /(?<![.\w])fetch\(\s*[`'"u]/, // a call with an address, not a method of git
  /\bundiciFetch\(/,
  /\bnew pg\.(?:Client|Pool)\(|\bnew PgBoss\(/,
  /^import \{[^}]*\} from 'undici'/m,
  /import\('undici'\)/,
  /(?<![.\w])connect\(\s*(?:\{|\d|port|path)/,
  /\brequest\(\s*(?:url|\{|target)/,
]

test('each source that can reach another machine is told of in a row', async t => {
  const found = globSync('src/**/*.ts', { cwd: ROOT }).filter(path => {
    const text = readFileSync(join(ROOT, path), 'utf8').replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
    return OPENS.some(pattern => pattern.test(text))
  })
  t.same(new Set([...found, GIT]), new Set(DOORS.keys()))
  for (const [path, row] of DOORS) t.match(PAGE, new RegExp(`^\\| ${row} +\\|`, 'm'), path)
})

test('settings that the page names are settings', async t => {
  const names = [...PAGE.matchAll(/`([A-Z][A-Z_]{4,})(?:=[^`]*)?`/g)].map(([, name = '']) => name)
  t.ok(names.length > 6)
  for (const name of names) t.ok(name in ENVIRONMENT.properties || name === 'FAULTLINE_API_KEY', name)
})
