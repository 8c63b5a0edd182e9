import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test, type Test } from 'tap'
import { findToolchains } from '../../../src/sandbox/jail/toolchains.ts'
import { inJail, openFolder, testSandbox, needing } from '../../helpers/sandbox.ts'

function program(file: string, says: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, `#!/bin/sh\necho "${says}"\n`)
  chmodSync(file, 0o755)
}

/** A home in which version managers have installed something, among things that are nobody's business. */
function furnishedHome(t: Test): { home: string; optDir: string } {
  const root = openFolder(t)
  const home = join(root, 'home')
  program(join(home, '.rustup/toolchains/stable-x86_64/bin/rustc'), 'rust')
  writeFileSync(join(home, '.rustup/settings.toml'), 'version = "12"\ndefault_toolchain = "stable-x86_64"\n')
  for (const version of ['go1.9', 'go1.24.1']) program(join(home, 'sdk', version, 'bin/go'), version)
  program(join(home, '.pyenv/versions/3.12.1/bin/python3'), 'python')
  writeFileSync(join(home, '.pyenv/version'), '3.12.1\n')
  program(join(home, '.sdkman/candidates/java/21.0.1/bin/java'), 'java')
  symlinkSync('21.0.1', join(home, '.sdkman/candidates/java/current'))
  writeFileSync(join(home, 'secret.txt'), 'secret')
  const optDir = join(root, 'opt')
  program(join(optDir, 'maven/bin/mvn'), 'maven')
  mkdirSync(join(optDir, 'backups'), { recursive: true })
  return { home, optDir }
}

test('toolchains of version managers and of /opt are found, and nothing beside them', async t => {
  const { home, optDir } = furnishedHome(t)
  const found = findToolchains({ home, execPath: '/srv/node/bin/node', optDir })
  t.same(
    found.map(({ name }) => name),
    ['node', 'rust', 'go', 'python', 'java', 'maven'],
  )
  t.same(
    found.flatMap(({ binds }) => binds),
    [
      { from: '/srv/node/bin/node', to: '/opt/node/bin/node' },
      { from: join(home, '.rustup/toolchains/stable-x86_64'), to: '/opt/rust' },
      { from: join(home, 'sdk/go1.24.1'), to: '/opt/go' },
      { from: join(home, '.pyenv/versions/3.12.1'), to: join(home, '.pyenv/versions/3.12.1') },
      { from: join(home, '.sdkman/candidates/java/21.0.1'), to: '/opt/java' },
      { from: join(optDir, 'maven'), to: join(optDir, 'maven') },
    ],
  )
})

test("a home without any gives the server's Node alone, with its npm when it has one", async t => {
  const root = t.testdir({
    bin: { node: '' },
    lib: { node_modules: { npm: { bin: { 'npm-cli.js': '' } } } },
    'secret.txt': '',
  })
  const [node, ...others] = findToolchains({
    home: '/nonexistent',
    execPath: join(root, 'bin/node'),
    optDir: '/nonexistent',
  })
  t.same(others, [])
  t.same(
    node?.binds.map(({ from }) => from),
    [join(root, 'bin/node'), join(root, 'lib/node_modules/npm')],
    'the folder above is not given',
  )
  t.match(node?.links, [
    { target: '../lib/node_modules/npm/bin/npm-cli.js', at: '/opt/node/bin/npm' },
    { at: '/opt/node/bin/npx' },
  ])
  t.match(findToolchains({ home: '/nonexistent', execPath: '/usr/bin/node', optDir: '/nonexistent' }), [
    { binds: [], links: [{ target: '/usr/bin/node', at: '/opt/node/bin/node' }] },
  ])
})

test('a version file with a path in it names nothing', async t => {
  const home = t.testdir({
    '.pyenv': { version: '../../secret\n' },
    '.rustup': { 'settings.toml': 'default_toolchain = "../../x"\n' },
  })
  t.same(
    findToolchains({ home, execPath: '/usr/bin/node', optDir: '/nonexistent' }).map(({ name }) => name),
    ['node'],
  )
})

test('the jail finds them in PATH and cannot change them', inJail, async t => {
  const { home } = furnishedHome(t)
  const { bash } = await testSandbox(t, { home })
  const { stdout } = await bash(
    `rustc; go; java; python3; cat ${home}/secret.txt 2>&1; (echo x > /opt/rust/bin/rustc) 2>&1; ls -A ${home}`,
  )
  t.match(stdout, /^rust\ngo1\.24\.1\njava\npython\n.*No such file.*\n.*Read-only file system\n\.pyenv\n$/)
})

test(
  'a toolchain in a closed home is left out, and programs run without it',
  needing(inJail, process.getuid?.() === 0, 'every home of an ordinary user is open to itself'),
  async t => {
    const { home } = furnishedHome(t)
    chmodSync(home, 0o700)
    const { bash } = await testSandbox(t, { home })
    t.match(await bash('ls -d /opt/rust /opt/go || echo none'), { stdout: 'none\n', exitCode: 0 })
  },
)
