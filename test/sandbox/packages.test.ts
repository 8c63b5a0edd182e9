import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { inJail, openFolder, testSandbox, needing } from '../helpers/sandbox.ts'

const NPM = '/usr/bin/npm'
const hasPip = existsSync('/usr/lib/python3/dist-packages/pip')

/** A tar ball of one package, as `npm pack` makes it, and a wheel, each with one line of code. */
function packages(t: Test): { tarball: Buffer; wheel: Buffer } {
  const folder = openFolder(t)
  mkdirSync(join(folder, 'package'))
  writeFileSync(
    join(folder, 'package/package.json'),
    JSON.stringify({
      name: 'tiny-pack',
      version: '1.0.0',
      main: 'main.js',
      scripts: { install: 'echo RAN > /workspace/ran' },
    }),
  )
  writeFileSync(join(folder, 'package/main.js'), "module.exports = 'hello of npm'\n")
  execFileSync('tar', ['-czf', join(folder, 'tiny.tgz'), '-C', folder, 'package'])
  execFileSync('/usr/bin/python3', [
    '-c',
    `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], 'w') as wheel:
    wheel.writestr('tiny_wheel.py', "def main(): print('hello of pip')\\n")
    wheel.writestr('tiny_wheel-1.0.0.dist-info/METADATA', 'Metadata-Version: 2.1\\nName: tiny-wheel\\nVersion: 1.0.0\\n')
    wheel.writestr('tiny_wheel-1.0.0.dist-info/WHEEL', 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr('tiny_wheel-1.0.0.dist-info/entry_points.txt', '[console_scripts]\\ntiny-wheel = tiny_wheel:main\\n')
    wheel.writestr('tiny_wheel-1.0.0.dist-info/RECORD', '')
`,
    join(folder, 'tiny.whl'),
  ])
  return { tarball: readFileSync(join(folder, 'tiny.tgz')), wheel: readFileSync(join(folder, 'tiny.whl')) }
}

/** npm's and pip's protocols, as far as one package needs them. */
async function registry(t: Test): Promise<{ url: string; host: string; asked: string[] }> {
  const { tarball, wheel } = packages(t)
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const { port } = server.address() as AddressInfo
    const dist = {
      tarball: `http://127.0.0.1:${port}/npm/tiny-pack/-/tiny-pack-1.0.0.tgz`,
      integrity: `sha512-${createHash('sha512').update(tarball).digest('base64')}`,
    }
    if (path === '/npm/tiny-pack') {
      response.end(
        JSON.stringify({
          name: 'tiny-pack',
          'dist-tags': { latest: '1.0.0' },
          versions: { '1.0.0': { name: 'tiny-pack', version: '1.0.0', hasInstallScript: true, dist } },
        }),
      )
    } else if (path === '/npm/tiny-pack/-/tiny-pack-1.0.0.tgz') response.end(tarball)
    else if (path === '/simple/tiny-wheel/') {
      response
        .setHeader('content-type', 'text/html')
        .end(
          '<a href="/files/tiny_wheel-1.0.0-py3-none-any.whl">tiny_wheel-1.0.0-py3-none-any.whl</a><a ' +
            'href="/files/tiny_wheel-2.0.0.tar.gz">tiny_wheel-2.0.0.tar.gz</a>',
        )
    } else if (path === '/files/tiny_wheel-1.0.0-py3-none-any.whl') response.end(wheel)
    else response.writeHead(404).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, asked }
}

test(
  'pip installs a wheel through the proxy, and its module and program are found; no source is built',
  needing(inJail, hasPip, 'pip is not installed (apt-get install python3-pip)'),
  async t => {
    const { url, host, asked } = await registry(t)
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
    const { url, host, asked } = await registry(t)
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
