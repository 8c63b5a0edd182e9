import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Locked {
  version: string
  dependencies?: Record<string, string>
  bin?: Record<string, string>
}

/** Where a package of `node_modules` finds one that it depends on, as Node looks for it. */
function placeOf(packages: Record<string, Locked>, name: string, from: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (place in packages) return place
    if (folder === '' || !folder.includes('node_modules')) return null
  }
}

/** A package of this project with all that it depends on, by their places in `node_modules`. */
function closureOf(packages: Record<string, Locked>, name: string): Map<string, Locked> {
  const found = new Map<string, Locked>()
  const waiting = [`node_modules/${name}`]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const one = packages[place]
    if (one === undefined || found.has(place)) continue
    found.set(place, one)
    for (const needed of Object.keys(one.dependencies ?? {})) {
      const at = placeOf(packages, needed, place)
      if (at !== null) waiting.push(at)
    }
  }
  return found
}

interface EslintRegistry {
  host: string
  url: string
  /** The lock file of a project that depends on eslint alone. */
  lock: string
  version: string
}

/** A registry on loopback that has the real eslint, with all that it depends on, from what this project installed. */
export async function eslintRegistry(t: Test): Promise<EslintRegistry> {
  const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as {
    packages: Record<string, Locked>
  }
  const found = closureOf(packages, 'eslint')
  const archives = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const archive = archives.get(request.url ?? '')
    if (archive === undefined) response.writeHead(404).end()
    else response.end(archive)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`
  const locked: Record<string, unknown> = {}
  for (const [place, { version, dependencies, bin }] of found) {
    const archive = execFileSync(
      'tar',
      ['-czf', '-', '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', `${ROOT}${place}`, '.'],
      { maxBuffer: 100_000_000 },
    )
    const path = `/${place.replaceAll('/', '_')}-${version}.tgz`
    archives.set(path, archive)
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
    locked[place] = { version, resolved: url + path, integrity, dependencies, bin }
  }
  const version = packages['node_modules/eslint']?.version ?? ''
  const root = { name: 'mean', version: '1.0.0', devDependencies: { eslint: version } }
  const lock = { name: 'mean', version: '1.0.0', lockfileVersion: 3, packages: { '': root, ...locked } }
  return { host: `127.0.0.1:${port}`, url, lock: JSON.stringify(lock), version }
}
