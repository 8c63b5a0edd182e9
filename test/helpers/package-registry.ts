import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Test } from 'tap'
import { openFolder } from './sandbox.ts'

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

export interface PackageRegistry {
  url: string
  host: string
  /** Paths that it was asked for. */
  asked: string[]
  /** Of the archive of npm's package. */
  integrity: string
}

/** npm's and pip's protocols, as far as one package needs them. */
export async function packageRegistry(t: Test): Promise<PackageRegistry> {
  const { tarball, wheel } = packages(t)
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    const { port } = server.address() as AddressInfo
    const dist = { tarball: `http://127.0.0.1:${port}/npm/tiny-pack/-/tiny-pack-1.0.0.tgz`, integrity }
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
  return { url: `http://127.0.0.1:${port}`, host: `127.0.0.1:${port}`, asked, integrity }
}
