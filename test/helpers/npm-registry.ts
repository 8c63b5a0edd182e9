import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

interface Locked {
  version: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  bin?: Record<string, string>
  hasInstallScript?: boolean
}

type Packages = Record<string, Locked>

/** Where a package of `node_modules` finds one that it depends on, as Node looks for it. */
function placeOf(packages: Packages, name: string, from: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`
    if (place in packages) return place
    if (folder === '' || !folder.includes('node_modules')) return null
  }
}

/** What a package depends on here: of its programs for other machines none is installed. */
function neededBy({ dependencies, optionalDependencies }: Locked): string[] {
  return Object.keys({ ...dependencies, ...optionalDependencies })
}

/** Packages of this project with all that they depend on, by their places in `node_modules`. */
function closureOf(packages: Packages, names: readonly string[]): Map<string, Locked> {
  const found = new Map<string, Locked>()
  const waiting = names.map(name => `node_modules/${name}`)
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const one = packages[place]
    if (one === undefined || found.has(place) || !existsSync(ROOT + place)) continue
    found.set(place, one)
    for (const needed of neededBy(one)) {
      const at = placeOf(packages, needed, place)
      if (at !== null) waiting.push(at)
    }
  }
  return found
}

/** The archive of an installed package. It is not compressed, which npm takes as well and takes a tenth of the time. */
const archiveOf = (place: string): Buffer =>
  execFileSync(
    'tar',
    ['-cf', '-', '--exclude=./node_modules', '--transform=s,^\\.,package,', '-C', `${ROOT}${place}`, '.'],
    { maxBuffer: 200_000_000 },
  )

interface NpmRegistry {
  host: string
  url: string
  /** What a server needs to install from it. */
  env: Record<string, string>
  /** Of the packages that were asked for, by name, as `devDependencies` name them. */
  versions: Record<string, string>
  /** The lock file of a project that depends on them alone. */
  lock: string
}

/**
 * A registry on loopback that has real packages, with all that they depend on, from what this project installed.
 *
 * @param names - By what the project of the test calls them: what this project calls them.
 */
export async function npmRegistry(t: Test, project: string, names: Record<string, string>): Promise<NpmRegistry> {
  const { packages } = JSON.parse(readFileSync(`${ROOT}package-lock.json`, 'utf8')) as { packages: Packages }
  const nameAt = new Map(Object.entries(names).map(([name, here]) => [`node_modules/${here}`, `node_modules/${name}`]))
  const archives = new Map<string, Buffer>()
  const server = createServer((request, response) => {
    const archive = archives.get(request.url ?? '')
    if (archive === undefined) response.writeHead(404).end()
    else response.end(archive)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const host = `127.0.0.1:${port}`
  const url = `http://${host}`
  const found = closureOf(packages, Object.values(names))
  const locked: Record<string, unknown> = {}
  for (const [place, { version, dependencies, optionalDependencies = {}, bin, hasInstallScript }] of found) {
    const archive = archiveOf(place)
    const path = `/${place.replaceAll('/', '_')}-${version}.tar`
    archives.set(path, archive)
    const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
    const there = Object.entries(optionalDependencies).filter(([name]) => found.has(`node_modules/${name}`))
    locked[nameAt.get(place) ?? place] = {
      version,
      resolved: url + path,
      integrity,
      dependencies,
      optionalDependencies: Object.fromEntries(there),
      bin,
      hasInstallScript,
    }
  }
  const versions = Object.fromEntries(
    Object.entries(names).map(([name, here]) => [name, packages[`node_modules/${here}`]?.version ?? '']),
  )
  const root = { name: project, version: '1.0.0', devDependencies: versions }
  const lock = { name: project, version: '1.0.0', lockfileVersion: 3, packages: { '': root, ...locked } }
  return {
    host,
    url,
    env: { ALLOW_PRIVATE_HOSTS: 'true', SANDBOX_REGISTRIES: host, npm_config_registry: `${url}/` },
    versions,
    lock: JSON.stringify(lock),
  }
}
