import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test, type Test } from 'tap'
import { createGitRepository } from './helpers/git-repository.ts'
import { CHILD_ENV } from './helpers/child-env.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const FILES = {
  'src/cart.js':
    'export class Cart {\n  total (items) {\n    return items.reduce((sum, item) => sum + item.price, 0)\n  }\n}\n',
  'src/main.js': 'import { Cart } from "./cart.js"\n\nnew Cart().total()\n',
}
const TRACE = [
  "TypeError: Cannot read properties of undefined (reading 'reduce')",
  '    at Cart.total (file:///srv/app/src/cart.js:3:18)',
  '    at file:///srv/app/src/main.js:3:12',
].join('\n')

/** Makes the program believe that it runs on an older Node, and that the package brings none. */
const OLD_NODE = `data:text/javascript,Object.defineProperty(process.versions, 'node', { value: '22.20.0' })`

const WITHOUT_HNSW = new URL('helpers/without-hnsw.ts', import.meta.url).href

interface Installed {
  folder: string
  run(
    args: string[],
    options?: { input?: string; cwd?: string; env?: NodeJS.ProcessEnv; node?: string[] },
  ): { exitCode: number | null; stdout: string; stderr: string }
}

/**
 * Packs the checkout as `npm publish` would and unpacks it where `npm install` would put it, with this checkout's
 * dependencies.
 */
function install(t: Test): Installed {
  const folder = t.testdir({ home: {} })
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true }) // what an earlier build left must not be packed
  const env = {
    PATH: `${join(ROOT, 'node_modules/.bin')}:${process.env.PATH}`,
    HOME: join(folder, 'home'),
    npm_config_update_notifier: 'false',
  }
  // tap makes every child load its hooks through NODE_OPTIONS; the compiler does not start with them
  execFileSync('env', ['-u', 'NODE_OPTIONS', 'npm', 'pack', '--silent', '--offline', '--pack-destination', folder], {
    cwd: ROOT,
    env,
    stdio: 'pipe',
  })
  const target = join(folder, 'node_modules', 'faultline')
  mkdirSync(target, { recursive: true })
  execFileSync('tar', ['-xzf', join(folder, 'faultline-0.1.0.tgz'), '--strip-components=1', '-C', target])
  symlinkSync(join(ROOT, 'node_modules'), join(target, 'node_modules'))
  return {
    folder,
    run(args, { input = '', cwd = folder, env: given = CHILD_ENV, node = [] } = {}) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [...node, join(target, 'bin/faultline.js'), ...args],
        {
          cwd,
          input,
          encoding: 'utf8',
          env: { ...given, HOME: join(folder, 'home') },
        },
      )
      return { exitCode: status, stdout, stderr }
    },
  }
}

test('the packed program works without the sources', { timeout: 120_000 }, async t => {
  const faultline = install(t)

  const { NODE_COMPILE_CACHE: _, ...withoutCache } = CHILD_ENV
  t.match(faultline.run(['--version'], { env: withoutCache }), { exitCode: 0, stdout: /^\d+\.\d+\.\d+\n$/ })
  t.ok(existsSync(join(faultline.folder, 'home/.cache/faultline/compile')), 'what was compiled is kept for the user')

  const manual = join(faultline.folder, 'node_modules/faultline/man/faultline.1')
  t.match(readFileSync(manual, 'utf8'), /^\.TH FAULTLINE 1 "" "faultline \d+\.\d+\.\d+"/)

  const refused = faultline.run(['--version'], {
    node: [`--import=${OLD_NODE}`],
    env: { ...CHILD_ENV, FAULTLINE_OWN_NODE: '1' },
  })
  t.equal(refused.exitCode, 3)
  t.equal(refused.stdout, '')
  t.match(refused.stderr, /^faultline: this is Node v[\d.]+; install Node 24\.\d+ or newer: https:.*\n$/, 'in one line')

  const exact = faultline.run(['doctor'], { node: [`--import=${WITHOUT_HNSW}`] })
  t.equal(exact.exitCode, 0, exact.stderr)
  t.match(exact.stdout, /^warn +vectors +exact: hnswlib-node cannot be used/m)

  const doctor = faultline.run(['doctor', '--json'])
  t.equal(doctor.exitCode, 0, doctor.stderr)
  const { checks } = JSON.parse(doctor.stdout) as { checks: Array<{ name: string; status: string; detail: string }> }
  t.strictSame(
    checks.filter(({ status }) => status === 'missing'),
    [],
  )
  t.match(
    checks.find(({ name }) => name === 'folder DATA_DIR')?.detail,
    /home\/\.local\/share\/faultline\/data/,
    "an installed package keeps its data in the user's folder",
  )

  const shop = createGitRepository(join(faultline.folder, 'shop'), { files: FILES, worktree: true })
  const resolved = faultline.run(['resolve', '--repo', shop.dir, '--json'], { input: TRACE })
  t.equal(resolved.exitCode, 0, resolved.stderr)
  t.match(
    JSON.parse(resolved.stdout),
    {
      project_name: /^shop-[0-9a-f]{8}$/,
      frames: [
        { path: 'src/main.js', code_line: 3 },
        { path: 'src/cart.js', code_line: 3 },
      ],
      context: />>> {2}3 \| {5}return items\.reduce/,
      answer_status: 'not_configured',
    },
    'the worker threads run from dist/',
  )
  t.equal(shop.git('status', '--porcelain'), '', 'nothing is written into the repository')
})
