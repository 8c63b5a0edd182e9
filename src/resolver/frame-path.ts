/** What a frame's file is, judged by its name alone. */
export type Origin = 'project' | 'library' | 'runtime' | 'nowhere'

export interface FramePath {
  /** `/`-separated, without scheme, drive, query, `.` and empty segments; '' for names that are no files. */
  path: string
  absolute: boolean
  origin: Origin
  /** Of a library's file the path inside the libraries' folder (`package/…`), else null. */
  inLibrary: string | null
  /** The package that the library's folder names, e.g. `@scope/name`; null elsewhere. */
  package: string | null
}

const LIBRARY_FOLDERS = new Set(['node_modules', 'site-packages', 'dist-packages'])
const PYTHON_FOLDER = /^(?:python|pypy)\d?(?:\.\d{1,2})?$/
const CORE_MODULES = new Set([
  '_http_client.js', '_http_server.js', '_stream_readable.js', '_stream_writable.js', '_tls_wrap.js', 'assert.js', 'buffer.js', 'child_process.js',
  'domain.js', 'events.js', 'fs.js', 'module.js', 'net.js', 'node.js', 'readline.js', 'stream.js', 'timers.js', 'tty.js', 'util.js', 'vm.js', 'zlib.js',
])

/** Reads a frame's file as printed: paths of any system, `file:` and `webpack:` URLs, `node:` modules, `<string>`. */
export function framePath (file: string): FramePath {
  if (/^(?:node|native|deno|bun|ext):/.test(file)) return { path: '', absolute: false, origin: 'runtime', inLibrary: null, package: null }
  if (file.startsWith('<frozen')) return { path: '', absolute: false, origin: 'runtime', inLibrary: null, package: null }
  if (/^<[^/\\]*>$/.test(file) || file.startsWith('eval at ')) return { path: '', absolute: false, origin: 'nowhere', inLibrary: null, package: null }
  const { plain, absolute } = plainPath(file)
  const segments = resolveDots(plain.split(/[/\\]/))
  const path = segments.join('/')
  return { path, absolute, ...originOf(segments, absolute) }
}

function plainPath (file: string): { plain: string, absolute: boolean } {
  const url = /^([a-z][a-z0-9+.-]+):\/\/\/?/i.exec(file)
  if (url === null) return { plain: file.replace(/^[A-Za-z]:(?=[/\\])/, '').replace(/\?[^/\\]*$/, ''), absolute: /^(?:[/\\]|[A-Za-z]:[/\\])/.test(file) }
  const rest = (file.slice(url[0].length).split(/[?#]/, 1)[0] ?? '')
  // webpack://name/./src/x.js and http://host/src/x.js: what the host served is a path below some root
  const absolute = url[1]?.toLowerCase() === 'file' || /^https?$/i.test(url[1] ?? '')
  return { plain: decoded(rest).replace(/^[A-Za-z]:(?=[/\\])/, ''), absolute }
}

function decoded (path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path // a stray % is a character of the name
  }
}

function resolveDots (segments: string[]): string[] {
  const resolved: string[] = []
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '...') continue
    if (segment === '..') resolved.pop()
    else resolved.push(segment)
  }
  return resolved
}

function originOf (segments: string[], absolute: boolean): Pick<FramePath, 'origin' | 'inLibrary' | 'package'> {
  const library = segments.findLastIndex(segment => LIBRARY_FOLDERS.has(segment.toLowerCase()))
  if (library !== -1 && library < segments.length - 1) {
    const inside = segments.slice(library + 1)
    const scoped = inside[0]?.startsWith('@') === true && inside.length > 2
    return { origin: 'library', inLibrary: inside.join('/'), package: inside.length > 1 ? inside.slice(0, scoped ? 2 : 1).join('/') : null }
  }
  const windows = segments.findIndex((segment, at) => /^python\d{2,3}$/i.test(segment) && /^lib$/i.test(segments[at + 1] ?? ''))
  if (windows !== -1 && windows + 1 < segments.length - 1) return { origin: 'library', inLibrary: segments.slice(windows + 2).join('/'), package: null }
  const python = absolute ? segments.findIndex((segment, at) => PYTHON_FOLDER.test(segment) && /^(?:lib|lib64|Lib)$/.test(segments[at - 1] ?? '')) : -1
  if (python !== -1 && python < segments.length - 1) return { origin: 'library', inLibrary: segments.slice(python + 1).join('/'), package: null }
  const core = !absolute && ((segments[0] === 'internal' && /\.js$/.test(segments.at(-1) ?? '')) || (segments.length === 1 && CORE_MODULES.has(segments[0] ?? '')))
  return { origin: core ? 'runtime' : 'project', inLibrary: null, package: null }
}
