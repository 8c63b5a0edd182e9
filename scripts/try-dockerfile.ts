// Runs the steps of the Dockerfile without Docker, each RUN in a clean root made by debootstrap, and then the server as
// the image would, in namespaces made by bubblewrap. By hand, as root, on Debian; it takes some minutes and 3 GB.
//
//   apt-get install debootstrap bubblewrap
//   node scripts/try-dockerfile.ts FOLDER [--env=NAME=VALUE …] [--ca=FILE]
//
// FOLDER is made, and kept: its `base` is taken again by the next run. --env gives the RUN steps a variable, as
// --build-arg does with those of proxies; --ca adds a certificate that the network of this machine needs; --again skips
// the steps, and starts what an earlier run made. In place of the image of Node, the base is Debian with the Node and
// npm of this machine in /usr/local.
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { readCopy, readEnv, readStages, type Copy, type Stage } from './deploy/dockerfile.ts'

const ROOT = dirname(import.meta.dirname)
const SUITE = 'bookworm'
const PORT = 18_453
const CA_FILE = '/usr/local/share/try-dockerfile.crt'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    env: { type: 'string', multiple: true, default: [] },
    ca: { type: 'string' },
    again: { type: 'boolean', default: false },
  },
})
const [folder = ''] = positionals
if (folder === '' || process.getuid?.() !== 0) {
  console.error('usage, as root: node scripts/try-dockerfile.ts FOLDER [--env=NAME=VALUE …] [--ca=FILE]')
  process.exit(2)
}

const given = {
  ...Object.fromEntries(options.env.map(one => one.split(/=(.*)/s).slice(0, 2))),
  ...(options.ca === undefined ? {} : { NODE_EXTRA_CA_CERTS: CA_FILE, npm_config_cafile: CA_FILE }),
}

const say = (text: string): void => console.log(`[${(performance.now() / 1000).toFixed(0)} s] ${text}`)

function run(command: string, args: string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
}

/** Debian with Node and npm, as the image of Node has them. */
function makeBase(path: string): void {
  if (existsSync(join(path, 'usr/local/bin/node'))) return say(`the base of an earlier run: ${path}`)
  if (!existsSync(join(path, 'etc/debian_version'))) {
    say(`debootstrap ${SUITE}`)
    run('debootstrap', ['--variant=minbase', SUITE, path])
  }
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())))
  cpSync(process.execPath, join(path, 'usr/local/bin/node'))
  cpSync(npm, join(path, 'usr/local/lib/node_modules/npm'), { recursive: true })
  const headers = ['/usr/include/node', '/usr/local/include/node'].find(existsSync)
  if (headers !== undefined) cpSync(headers, join(path, 'usr/local/include/node'), { recursive: true })
  run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(path, 'usr/local/bin/npm')])
  run('ln', ['-s', '../lib/node_modules/npm/bin/npx-cli.js', join(path, 'usr/local/bin/npx')])
}

interface State {
  root: string
  workdir: string
  env: Record<string, string>
  user: string
  commands: Record<'CMD' | 'ENTRYPOINT' | 'HEALTHCHECK', string[]>
}

/** Runs a shell command in the root, with the network of this machine and nothing of its environment. */
function runStep(state: State, text: string): void {
  const env = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    HOME: '/root',
    ...state.env,
    ...given,
  }
  const script = `mount -t proc proc /proc; cd '${state.workdir}' && { ${text}\n}`
  cpSync('/etc/resolv.conf', join(state.root, 'etc/resolv.conf'), { dereference: true })
  if (options.ca !== undefined) cpSync(options.ca, join(state.root, CA_FILE))
  execFileSync('unshare', ['--mount', '--pid', '--fork', 'chroot', state.root, '/bin/sh', '-e', '-c', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env,
  })
}

/** As Docker: a folder's content goes into the target; several files, and one before a slash, go below it. */
function copyInto(state: State, from: string, { sources, target }: Copy): void {
  const to = join(state.root, resolve(state.workdir, target))
  for (const source of sources) {
    const path = join(from, source)
    const goesBelow = !statSync(path).isDirectory() && (sources.length > 1 || target.endsWith('/'))
    cpSync(path, goesBelow ? join(to, basename(source)) : to, { recursive: true, verbatimSymlinks: true })
  }
}

const words = (text: string): string[] => JSON.parse(/\[.*\]/s.exec(text)?.[0] ?? '[]') as string[]

function buildStage(stage: Stage, state: State, built: ReadonlyMap<string, string>): void {
  for (const { name, text, line } of stage.instructions) {
    say(`line ${line}: ${name} ${text.slice(0, 90)}`)
    if (options.again && (name === 'RUN' || name === 'COPY')) continue
    if (name === 'RUN') runStep(state, text)
    else if (name === 'ENV') Object.assign(state.env, readEnv(text))
    else if (name === 'USER') state.user = text
    else if (name === 'COPY') {
      const copy = readCopy(text)
      const from = copy.from === null ? ROOT : built.get(copy.from)
      if (from === undefined) throw new Error(`line ${line}: there is no stage ${copy.from}`)
      copyInto(state, from, copy)
    } else if (name === 'WORKDIR') {
      state.workdir = text
      mkdirSync(join(state.root, text), { recursive: true })
    } else if (name === 'CMD' || name === 'ENTRYPOINT' || name === 'HEALTHCHECK') state.commands[name] = words(text)
  }
}

interface Container {
  state: State
  volume: string
  env: Record<string, string>
  /** Whether parts of /proc are covered, as they are in Docker without systempaths=unconfined. */
  coversProc: boolean
}

/** A process as a container would have it: the root read-only, /tmp and the volume writable, a user without rights. */
function contained({ state, volume, env: extra, coversProc }: Container, args: string[]): string[] {
  const [uid = '', gid = ''] = state.user.split(':')
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', ...state.env, ...extra }
  return [
    ...['--ro-bind', state.root, '/', '--dev', '/dev', '--tmpfs', '/tmp'],
    ...(coversProc ? ['--unshare-pid', '--proc', '/proc'] : ['--bind', '/proc', '/proc']),
    ...['--bind', volume, '/var/lib/faultline', '--unshare-ipc', '--die-with-parent'],
    ...['--clearenv', ...Object.entries(env).flatMap(([name, value]) => ['--setenv', name, value])],
    ...['--chdir', state.workdir, '--cap-add', 'CAP_SETUID', '--cap-add', 'CAP_SETGID', '--cap-add', 'CAP_SETPCAP'],
    ...['/usr/bin/setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--bounding-set=-all'],
    ...['--no-new-privs', ...args],
  ]
}

/** Starts the server, asks it, and ends it; the health check of the image decides whether it is there. */
async function tryServer(state: State): Promise<void> {
  const volume = join(folder, 'volume')
  rmSync(volume, { recursive: true, force: true })
  mkdirSync(volume, { mode: 0o711 })
  const [uid = 0, gid = 0] = state.user.split(':').map(Number)
  chownSync(volume, uid, gid)
  const key = 'k'.repeat(24)
  const env = { API_KEYS: `try:${key}`, PORT: String(PORT) }
  const container = { state, volume, env, coversProc: true }
  const { ENTRYPOINT, CMD, HEALTHCHECK } = state.commands
  const server = spawn('bwrap', contained(container, [...ENTRYPOINT, ...CMD]), {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    for (let tries = 1; ; tries++) {
      try {
        run('bwrap', contained(container, HEALTHCHECK))
        break
      } catch (error) {
        if (tries === 60) throw error
        await wait(1_000)
      }
    }
    say('healthy')
    const ask = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${PORT}${path}`, { headers: { authorization: `Bearer ${key}` } })
      return [response.status, await response.text()]
    }
    console.log(...(await ask('/ready')))
    console.log(...(await ask('/projects')))
    say('a jail in the container, once its /proc is not covered')
    run('bwrap', contained({ ...container, coversProc: false }, ['node', 'bin/faultline.js', 'doctor']))
  } finally {
    server.kill('SIGTERM')
  }
}

mkdirSync(folder, { recursive: true })
const base = join(folder, 'base')
makeBase(base)
const built = new Map<string, string>()
let last: State | null = null
for (const [index, stage] of readStages(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).entries()) {
  const root = join(folder, `stage-${index}`)
  if (!options.again) {
    say(`FROM ${stage.base}: a copy of the base in ${root}`)
    rmSync(root, { recursive: true, force: true })
    run('cp', ['-a', base, root])
  }
  const commands = { CMD: [], ENTRYPOINT: [], HEALTHCHECK: [] }
  last = { root, workdir: '/', env: {}, user: '0:0', commands }
  buildStage(stage, last, built)
  if (stage.name !== null) built.set(stage.name, root)
}
if (last !== null) await tryServer(last)
