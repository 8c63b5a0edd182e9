import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { namesIn, textOf } from './optional-files.ts'

/** A compiler or interpreter outside of /usr, and how the jail gets it. */
export interface Toolchain {
  name: string
  /** Folders and files to be visible in the jail, read-only. */
  binds: Array<{ from: string; to: string }>
  links: Array<{ target: string; at: string }>
  /** Folders for PATH, as the jail has them. */
  path: string[]
}

/** Where toolchains are looked for. */
interface ToolchainPlaces {
  /** The user's own folder, in which version managers keep what they install. */
  home: string
  /** The Node that the server runs on. */
  execPath: string
  /** Default: /opt. */
  optDir?: string
}

/** The server's Node as the jail has it. */
export const JAIL_NODE = '/opt/node/bin/node'

/** Programs by which a folder below /opt is recognised as a toolchain. */
const KNOWN_PROGRAMS = [
  'go',
  'cargo',
  'rustc',
  'java',
  'mvn',
  'gradle',
  'python3',
  'ruby',
  'php',
  'dotnet',
  'deno',
  'bun',
  'zig',
  'julia',
  'kotlinc',
  'scala',
  'elixir',
  'ghc',
  'swift',
]

const isInUsr = (path: string): boolean => path.startsWith('/usr/')

/** The server's Node and its npm, bound one by one: the folder above their `bin` may be a whole home. */
function serverNode(execPath: string): Toolchain {
  if (isInUsr(execPath)) {
    return { name: 'node', binds: [], links: [{ target: execPath, at: JAIL_NODE }], path: [dirname(JAIL_NODE)] }
  }
  const npm = join(dirname(dirname(execPath)), 'lib', 'node_modules', 'npm')
  const node = { from: execPath, to: JAIL_NODE }
  if (!existsSync(join(npm, 'bin', 'npm-cli.js'))) {
    return { name: 'node', binds: [node], links: [], path: ['/opt/node/bin'] }
  }
  return {
    name: 'node',
    binds: [node, { from: npm, to: '/opt/node/lib/node_modules/npm' }],
    links: ['npm', 'npx'].map(name => ({
      target: `../lib/node_modules/npm/bin/${name}-cli.js`,
      at: `/opt/node/bin/${name}`,
    })),
    path: ['/opt/node/bin'],
  }
}

function seenAt(name: string, folder: string, { program, to }: { program: string; to: string }): Toolchain | null {
  if (!existsSync(join(folder, 'bin', program)) || isInUsr(folder)) return null
  return { name, binds: [{ from: realpathSync(folder), to }], links: [], path: [join(to, 'bin')] }
}

function moved(name: string, folder: string, program: string): Toolchain | null {
  return seenAt(name, folder, { program, to: `/opt/${name}` })
}

function rustup(home: string): Toolchain | null {
  const root = join(home, '.rustup')
  const wanted = /^default_toolchain\s*=\s*"([\w.-]+)"/m.exec(textOf(join(root, 'settings.toml')))?.[1]
  return wanted === undefined ? null : moved('rust', join(root, 'toolchains', wanted), 'rustc')
}

const newestLast = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true })

/** Releases of Go that `go install golang.org/dl/…` keeps. */
function goSdk(home: string): Toolchain | null {
  const releases = namesIn(join(home, 'sdk'))
    .filter(name => /^go\d/.test(name))
    .sort(newestLast)
  return moved('go', join(home, 'sdk', releases.at(-1) ?? 'none'), 'go')
}

function inPlace(name: string, folder: string, program: string): Toolchain | null {
  return seenAt(name, folder, { program, to: folder })
}

/** Bound at its original place: the programs that pip installed name it in their first line. */
function pyenv(home: string): Toolchain | null {
  const wanted = textOf(join(home, '.pyenv', 'version')).split(/\s+/)[0] ?? ''
  return /^[\w.-]+$/.test(wanted) ? inPlace('python', join(home, '.pyenv', 'versions', wanted), 'python3') : null
}

const sdkman = (home: string): Toolchain | null =>
  moved('java', join(home, '.sdkman', 'candidates', 'java', 'current'), 'java')

function inOpt(optDir: string): Array<Toolchain | null> {
  return namesIn(optDir)
    .filter(name => name !== 'node')
    .map(name => {
      // the server's own takes its place
      const program = KNOWN_PROGRAMS.find(one => existsSync(join(optDir, name, 'bin', one)))
      return program === undefined ? null : inPlace(name, join(optDir, name), program)
    })
}

/**
 * The toolchains outside of /usr that programs may need: the server's own Node first, then those of rustup, Go, pyenv,
 * SDKMAN and /opt. Only folders that such a tool fills are bound, never one that may contain other things.
 */
export function findToolchains({ home, execPath, optDir = '/opt' }: ToolchainPlaces): Toolchain[] {
  const others = [rustup(home), goSdk(home), pyenv(home), sdkman(home), ...inOpt(optDir)].filter(one => one !== null)
  return [serverNode(execPath), ...others]
}
