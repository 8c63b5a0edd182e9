// Renews the fixtures of JavaScript's runtimes, test runners and bundlers: node scripts/record-fixtures/javascript.ts
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { build, has, install, record } from './recorder.ts'

const cwd = install('javascript')
const env = { CI: 'true', NO_COLOR: '1', FORCE_COLOR: '0', COLUMNS: '100', HOME: '/tmp', npm_config_yes: 'true' }
const node = process.execPath
const [major = ''] = process.versions.node.split('.')

function versionOf(name: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(cwd, `node_modules/${name}/package.json`), 'utf8'))
  const hasVersion = typeof manifest === 'object' && manifest !== null && 'version' in manifest
  const [major = '0'] = hasVersion ? String(manifest.version).split('.', 1) : []
  return major
}

/** Runs a package's command with the Node that runs this script; times and seeds differ from run to run. */
function run(name: string, bin: string, ...args: string[]): void {
  record(name, [node, `node_modules/.bin/${bin}`, ...args], {
    cwd,
    env,
    without: /^(?:Time:|\s+(?:Start at|Duration)) |^\(Use `node/,
  })
}

/** The programs that need nothing but Node.js, by one of its versions. */
function runtime(version: string, executable: string): void {
  record(`node-${version}-async-cause`, [executable, 'uncaught.js'], { cwd, env })
  record(`node-${version}-trace`, [executable, 'trace.js'], { cwd, env })
  record(`node-${version}-any`, [executable, 'aggregate.js'], { cwd, env })
}

runtime(major, node)
record(`node-${major}-test-spec`, [node, '--test', '--test-reporter=spec', 'node/cart.test.js'], { cwd, env })
record(`node-${major}-test-tap`, [node, '--test', '--test-reporter=tap', 'node/cart.test.js'], { cwd, env })

if (has('npm', '--version')) {
  build(['npm', 'install', '--no-audit', '--no-fund', '--silent'], { cwd })
  for (const version of ['18', '22', '26']) {
    const folder = `${cwd}/node-${version}`
    mkdirSync(folder)
    build(
      [
        'npm',
        'install',
        '--no-audit',
        '--no-fund',
        '--silent',
        '--ignore-scripts=false',
        '--prefix',
        folder,
        `node@${version}`,
      ],
      { cwd: folder },
    )
    runtime(version, `${folder}/node_modules/node/bin/node`)
  }
  const named = (name: string, what: string) => `${name}-${versionOf(name)}-${what}`
  run(named('jest', 'report'), 'jest', '--no-cache', 'jest')
  run(named('vitest', 'report'), 'vitest', 'run', 'vitest')
  run(named('mocha', 'report'), 'mocha', 'mocha/cart.js')
  run(named('ava', 'report'), 'ava', 'ava/cart.mjs')
  run(named('ava', 'tap'), 'ava', '--tap', 'ava/cart.mjs')
  run(named('webpack', 'build'), 'webpack', 'build', '--config', 'bundle/webpack.config.js', '--no-stats-colors')
  run(named('vite', 'build'), 'vite', 'build', 'bundle', '--outDir', '/tmp/shop-bundle', '--emptyOutDir')
  record(named('pino', 'log'), [node, 'log.js'], { cwd, env })
  record(named('react', 'component'), [node, 'component.js'], { cwd, env })
  record(named('deno', 'uncaught'), ['node_modules/.bin/deno', 'run', '--no-config', '-A', 'uncaught.ts'], { cwd, env })
  record(named('deno', 'cause'), ['node_modules/.bin/deno', 'run', '--no-config', '-A', 'uncaught.js'], { cwd, env })
  record(named('bun', 'uncaught'), ['node_modules/.bin/bun', 'uncaught.ts'], { cwd, env })
  record(named('bun', 'cause'), ['node_modules/.bin/bun', 'uncaught.js'], { cwd, env })
}
