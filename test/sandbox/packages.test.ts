import { existsSync } from 'node:fs'
import { test } from 'tap'
import { packageRegistry } from '../helpers/package-registry.ts'
import { inJail, testSandbox, needing } from '../helpers/sandbox.ts'

const NPM = '/usr/bin/npm'
const hasPip = existsSync('/usr/lib/python3/dist-packages/pip')

test(
  'pip installs a wheel through the proxy, and its module and program are found; no source is built',
  needing(inJail, hasPip, 'pip is not installed (apt-get install python3-pip)'),
  async t => {
    const { url, host, asked } = await packageRegistry(t)
    const { bash } = await testSandbox(t, {
      allowPrivateHosts: true,
      registries: [host],
      registryEnv: { PIP_INDEX_URL: `${url}/simple` },
    })
    const script =
      '/usr/bin/python3 -m pip install tiny-wheel && /usr/bin/python3 -c "import tiny_wheel; ' +
      'tiny_wheel.main()" && tiny-wheel && /usr/bin/python3 -m pip download -d got tiny-wheel && ls got'
    t.match(await bash(script, { network: 'registries' }), {
      exitCode: 0,
      stdout:
        /Successfully installed tiny-wheel-1\.0\.0\n(?:hello of pip\n){2}[^]*tiny_wheel-1\.0\.0-py3-none-any\.whl\n$/,
    })
    t.ok(asked.length >= 2 && !asked.some(path => path.endsWith('.tar.gz')), asked.join(' '))
    t.match(
      await bash(script),
      { exitCode: 1, stderr: /externally.managed|No matching distribution/ },
      'and not without network',
    )
  },
)

test(
  'npm installs a package through the proxy, and runs none of its scripts',
  needing(inJail, existsSync(NPM), 'npm is not installed in /usr'),
  async t => {
    const { url, host, asked } = await packageRegistry(t)
    const { sandbox, workspace, bash } = await testSandbox(t, {
      allowPrivateHosts: true,
      registries: [host],
      registryEnv: { npm_config_registry: `${url}/npm/` },
    })
    await sandbox.fill(workspace, new Map([['package.json', '{"name": "x", "version": "1.0.0"}']]))
    t.match(await bash('npm install tiny-pack && node -p "require(\'tiny-pack\')" && ls', { network: 'registries' }), {
      exitCode: 0,
      stdout: /hello of npm\nnode_modules\npackage-lock\.json\npackage\.json\n$/,
    })
    t.same(asked, ['/npm/tiny-pack', '/npm/tiny-pack/-/tiny-pack-1.0.0.tgz'])
    t.match(
      await bash('rm -rf node_modules && npm ci && node -p "require(\'tiny-pack\')"', { network: 'registries' }),
      { exitCode: 0, stdout: /hello of npm/ },
    )
    const { files } = await sandbox.collect(workspace, { ignore: ['node_modules'] })
    t.same(
      files.map(({ path }) => path),
      ['package-lock.json', 'package.json'],
    )
  },
)
