// What a start of the server costs, from `npm start` to the first answer of /health: time, processor time, modules, and
// the memory some seconds later.
// usage: node bench/start.bench.ts [CHECKOUT...] [--starts N]
// Each CHECKOUT is a working copy, or a folder with the unpacked package; default: this one. They take turns. The first
// start of each has an empty cache of compiled code, the others what that one left. npm itself is not measured: its
// script is run as npm would run it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { megabytes, quantiles, usageOf } from './measure.ts'

const POLL_MS = 2
/** After the first answer: what is left to do in the background is done then. */
const SETTLED_MS = 5_000
const COUNTER = fileURLToPath(new URL('./count-modules.ts', import.meta.url))

interface Start {
  ms: number
  cpuMs: number
  laterCpuMs: number
  idleBytes: number
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

const answers = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    request({ host: '127.0.0.1', port, path: '/health' }, answer => {
      answer.resume().on('end', () => resolve(answer.statusCode === 200))
    })
      .on('error', () => resolve(false))
      .end()
  })

/** The script that `npm start` runs; in the package, which has no sources, the program itself. */
function commandOf(checkout: string): string {
  if (!existsSync(join(checkout, 'src'))) return 'node bin/faultline.js serve'
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  return scripts.start
}

/** Starts a server with folders of its own, and `home` as the home folder of its user, and ends it again. */
async function start(checkout: string, home: string, env: Record<string, string> = {}): Promise<Start> {
  const root = mkdtempSync(join(tmpdir(), 'faultline-bench-'))
  const port = await freePort()
  const bin = join(checkout, 'node_modules/.bin')
  const startedAt = performance.now()
  const server = spawn('sh', ['-c', `exec env ${commandOf(checkout)}`], {
    cwd: checkout,
    stdio: 'ignore',
    env: {
      PATH: [bin, process.env.PATH ?? ''].join(delimiter),
      HOME: home,
      PORT: String(port),
      LOG_LEVEL: 'silent',
      DATA_DIR: join(root, 'data'),
      VECTOR_STORE_DIR: join(root, 'vector_store'),
      CLONED_REPOS_DIR: join(root, 'cloned_repos'),
      ...env,
    },
  })
  const exited = once(server, 'exit')
  const { pid = 0 } = server
  try {
    while (!(await answers(port))) {
      if (server.exitCode !== null) throw new Error(`${checkout}: the server ended with code ${server.exitCode}`)
      await wait(POLL_MS)
    }
    const ms = performance.now() - startedAt
    const { cpuMs } = usageOf(pid)
    await wait(SETTLED_MS)
    const later = usageOf(pid)
    return { ms, cpuMs, laterCpuMs: later.cpuMs, idleBytes: later.treeBytes }
  } finally {
    server.kill('SIGTERM')
    await exited
    rmSync(root, { recursive: true, force: true })
  }
}

/** How many modules the process and its threads have loaded some seconds after the first answer. */
async function modulesOf(checkout: string, home: string): Promise<number> {
  const list = join(home, 'modules')
  writeFileSync(list, '')
  await start(checkout, home, { NODE_OPTIONS: `--import ${COUNTER}`, MODULES_FILE: list })
  return readFileSync(list, 'utf8').split('\n').length - 1
}

const median = (starts: readonly Start[], of: (start: Start) => number): number => quantiles(starts.map(of)).p50

function report(title: string, starts: readonly Start[], base: readonly Start[]): void {
  const row = (of: (start: Start) => number): string => {
    const value = median(starts, of)
    return `${Math.round(value)} (${(value / median(base, of)).toFixed(2)})`
  }
  console.log(
    [
      title.padEnd(44),
      row(({ ms }) => ms).padEnd(14),
      row(({ cpuMs }) => cpuMs).padEnd(14),
      row(({ laterCpuMs }) => laterCpuMs).padEnd(14),
      row(({ idleBytes }) => megabytes(idleBytes)),
    ].join(' '),
  )
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { starts: { type: 'string', default: '7' } },
})
const checkouts = (positionals.length === 0 ? ['.'] : positionals).map(folder => resolve(folder))
const homes = checkouts.map(() => mkdtempSync(join(tmpdir(), 'faultline-home-')))
const first: Start[][] = checkouts.map(() => [])
const later: Start[][] = checkouts.map(() => [])
try {
  for (let round = 0; round < Number(options.starts); round++) {
    for (const [i, checkout] of checkouts.entries()) {
      const starts = round === 0 ? first : later
      starts[i]?.push(await start(checkout, homes[i] ?? tmpdir()))
    }
  }
  const columns = ['ms', 'CPU ms', 'CPU ms 5 s on', 'MB 5 s on, RSS of all its processes']
  console.log(['(share of the first checkout)'.padEnd(44), ...columns.map(column => column.padEnd(14))].join(' '))
  for (const [i, checkout] of checkouts.entries()) {
    report(`${checkout}: first start`, first[i] ?? [], first[0] ?? [])
    report(`${checkout}: later starts`, later[i] ?? [], later[0] ?? [])
  }
  for (const [i, checkout] of checkouts.entries()) {
    console.log(`${checkout}: ${await modulesOf(checkout, homes[i] ?? tmpdir())} modules in all its threads`)
  }
} finally {
  for (const home of homes) rmSync(home, { recursive: true, force: true })
}
