/** The package managers, and `runtime` for what comes with a language. */
export type LibraryKind =
  'npm' | 'python' | 'gem' | 'ruby' | 'go' | 'cargo' | 'composer' | 'pub' | 'hex' | 'standard' | 'runtime'

/** Where a path lies in a package manager's folder. */
export interface Library {
  kind: LibraryKind
  /** The package as its manifest spells it, e.g. `@scope/name`; null where the folder names none. */
  package: string | null
  version: string | null
  /** The path inside the package; for Python and Ruby load paths it begins with the package's own folder. */
  inside: string
  /** How many of the last segments lie in the package manager's folder, its own name not counted. */
  length: number
}

const NPM = new Set(['node_modules', 'bower_components', 'jspm_packages'])
const PYTHON = new Set(['site-packages', 'dist-packages'])
const RUBY = new Set(['vendor_ruby', 'site_ruby'])
const PYTHON_HOME = /^(?:python|pypy)\d?(?:\.\d{1,2})?t?$/
const VERSIONED_GEM = /^(.+?)-(\d[\w.]{0,30}(?:-[a-z][\w-]{0,30})?|[0-9a-f]{7,40})$/
const VERSIONED_PUB = /^(.+)-(\d[\w.+-]{0,40})$/
const PHP_FILE = /\.(?:php|phtml|inc)$/
const CRATE = /^(.+)-(\d+\.\d+\.\d+[\w.+-]{0,40})$/
const GO_ROOT = /^(?:go|golang|google-golang|goroot|libexec|x64|arm64|go-?\d[\w.]{0,20}|GOROOT)$/
const GO_STANDARD = new Set([
  'archive',
  'arena',
  'bufio',
  'bytes',
  'cmp',
  'compress',
  'container',
  'context',
  'crypto',
  'database',
  'debug',
  'embed',
  'encoding',
  'errors',
  'expvar',
  'flag',
  'fmt',
  'go',
  'hash',
  'html',
  'image',
  'index',
  'internal',
  'io',
  'iter',
  'log',
  'maps',
  'math',
  'mime',
  'net',
  'os',
  'path',
  'plugin',
  'reflect',
  'regexp',
  'runtime',
  'slices',
  'sort',
  'strconv',
  'strings',
  'structs',
  'sync',
  'syscall',
  'testing',
  'text',
  'time',
  'unicode',
  'unique',
  'unsafe',
  'vendor',
  'weak',
])

function npm(segments: readonly string[], at: number): Inside {
  const first = segments[at + 1] ?? ''
  if (segments.length === at + 2) return { kind: 'npm', package: null, version: null, skip: 0 }
  const skip = first.startsWith('@') && segments.length > at + 3 ? 2 : 1
  return { kind: 'npm', package: segments.slice(at + 1, at + 1 + skip).join('/'), version: null, skip }
}

function python(segments: readonly string[], at: number): Inside {
  const egg = /^(.+?)-(\d[\w.]{0,30})-py\d.*\.egg$/.exec(segments[at + 1] ?? '')
  const skip = egg === null ? 0 : 1
  const first = segments[at + 1 + skip] ?? ''
  return { kind: 'python', package: first.replace(/\.pyx?$/, ''), version: egg?.[2] ?? null, skip }
}

function gem(segments: readonly string[], at: number): Inside | null {
  const match = VERSIONED_GEM.exec(segments[at + 1] ?? '')
  if (match?.[1] === undefined || segments.length < at + 3) return null
  return { kind: 'gem', package: match[1], version: match[2] ?? null, skip: 1 }
}

/**
 * A module of Go in the module cache, where `!azure` stands for `Azure`. The version follows the module's path,
 * wherever that ends.
 */
function goModule(segments: readonly string[], at: number): Inside | null {
  const end = segments.findIndex((segment, index) => index > at && /@v\d/.test(segment))
  if (end === -1 || end === segments.length - 1) return null
  const start = segments.findLastIndex(
    (segment, index) => index <= end && segment.includes('.') && (segments[index - 1] === 'mod' || index === 0),
  )
  const from = start === -1 ? at + 1 : start
  const [module = '', version = null] = segments
    .slice(from, end + 1)
    .join('/')
    .split('@')
  return {
    kind: 'go',
    package: module.replace(/!([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    version,
    skip: end - at,
  }
}

function crate(folder: string, skip: number): Inside | null {
  const match = CRATE.exec(folder)
  if (match?.[1] === undefined) return null
  return { kind: 'cargo', package: match[1], version: match[2] ?? null, skip }
}

/** `package:shop/cart.dart`, which is read as `package/shop/cart.dart`, and the folders of downloaded Dart packages. */
function pub(name: string, segments: readonly string[], at: number): Inside | null {
  if (name === 'package' && at === 0) return { kind: 'pub', package: segments[1] ?? null, version: null, skip: 1 }
  if (name !== 'hosted') return null
  const match = VERSIONED_PUB.exec(segments[at + 2] ?? '')
  if (match?.[1] === undefined) return null
  return { kind: 'pub', package: match[1], version: match[2] ?? null, skip: 2 }
}

/** A load path of Ruby: the package follows, after the language's version where there is one. */
function rubyLoadPath(segments: readonly string[], at: number): Inside {
  const next = segments[at + 1] ?? ''
  const skip = /^\d[\d.]*$/.test(next) ? 1 : 0
  return { kind: 'ruby', package: segments[at + 1 + skip] ?? null, version: null, skip }
}

function gitCheckout(segments: readonly string[], at: number): Inside {
  const folder = segments[at + 1] ?? ''
  return { kind: 'cargo', package: folder.replace(/-[0-9a-f]{8,}$/, ''), version: null, skip: 2 }
}

function composer(segments: readonly string[], at: number): Inside | null {
  if (!PHP_FILE.test(segments.at(-1) ?? '') || segments.length <= at + 3) return null
  return { kind: 'composer', package: segments.slice(at + 1, at + 3).join('/'), version: null, skip: 2 }
}

/** Readers of package managers' folders, by the folder's name. */
const BY_FOLDER = new Map<string, (segments: readonly string[], at: number) => Inside | null>([
  ...[...NPM].map(name => [name, npm] as const),
  ...[...PYTHON].map(name => [name, python] as const),
  ...[...RUBY].map(name => [name, rubyLoadPath] as const),
  ['gems', gem],
])

function insideOf(name: string, segments: readonly string[], at: number): Inside | null {
  const read = BY_FOLDER.get(name)
  if (read !== undefined) return read(segments, at)
  const [above, next] = [segments[at - 1], segments[at + 1] ?? '']
  if ((name === 'mod' && above === 'pkg') || /@v\d/.test(next)) return goModule(segments, at)
  if (name === 'src' && above === 'registry') return crate(segments[at + 2] ?? '', 2)
  if (name === 'checkouts' && above === 'git') return gitCheckout(segments, at)
  if (segments.at(-1)?.endsWith('.dart') === true) return pub(name, segments, at)
  return name === 'vendor' ? composer(segments, at) : null
}

function folderAt(segments: readonly string[], at: number): Library | null {
  const name = (segments[at] ?? '').toLowerCase()
  const inside = insideOf(name, segments, at)
  if (inside === null) return null
  const { skip, ...rest } = inside
  const path = segments.slice(at + 1 + skip)
  return path.length === 0 ? null : { ...rest, inside: path.join('/'), length: segments.length - at - 1 }
}

/**
 * Whether a package path of Go is in the standard library: no host in its first element, and one of the known names.
 */
export const isGoStandard = (importPath: string): boolean => GO_STANDARD.has(importPath.split('/', 1)[0] ?? '')

/** The files that come with a language itself. A project may be that language; then the path inside tells the file. */
function runtimeOf(segments: readonly string[], absolute: boolean): Library | null {
  const inside = (at: number, kind: LibraryKind): Library | null =>
    at < segments.length - 1
      ? {
          kind,
          package: null,
          version: null,
          inside: segments.slice(at + 1).join('/'),
          length: segments.length - 1 - at,
        }
      : null
  const windows = segments.findIndex(
    (segment, at) => /^lib$/i.test(segment) && /^python\d{2,3}(?:-32)?$/i.test(segments[at - 1] ?? ''),
  )
  if (windows !== -1) return inside(windows, 'standard')
  const python = absolute
    ? segments.findIndex((segment, at) => PYTHON_HOME.test(segment) && /^lib(?:64)?$/i.test(segments[at - 1] ?? ''))
    : -1
  if (python !== -1) return inside(python, 'standard')
  const ruby = segments.findIndex(
    (segment, at) => /^\d\.\d{1,2}\.\d{1,2}$/.test(segment) && /^j?ruby$/.test(segments[at - 1] ?? ''),
  )
  if (ruby !== -1) return inside(ruby, 'standard')
  const rust = segments.findIndex(
    (segment, at) =>
      (segment === 'library' && /^[0-9a-f]{40}$|^rust$/.test(segments[at - 1] ?? '')) ||
      (segment === 'compiler' && /^[0-9a-f]{40}$/.test(segments[at - 1] ?? '')),
  )
  if (rust !== -1) return inside(rust - 1, 'standard')
  const go =
    segments.at(-1)?.endsWith('.go') === true || segments.at(-1)?.endsWith('.s') === true
      ? segments.findIndex(
          (segment, at) =>
            segment === 'src' && GO_ROOT.test(segments[at - 1] ?? '') && isGoStandard(segments[at + 1] ?? ''),
        )
      : -1
  if (go !== -1) return inside(go, 'standard')
  return absolute && segments[0] === 'usr' && segments[1] === 'include' ? inside(1, 'standard') : null
}

/** Finds the package manager's folder in a path; null when there is none. */
export function libraryOf(segments: readonly string[], absolute: boolean): Library | null {
  const last = segments.length - 1
  for (let at = last - 1; at >= 0; at--) {
    const found = folderAt(segments, at)
    if (found !== null) return found
  }
  return runtimeOf(segments, absolute)
}

type Inside = Pick<Library, 'kind' | 'package' | 'version'> & { skip: number }
