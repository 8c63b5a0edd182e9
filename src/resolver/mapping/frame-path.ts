import { libraryOf, type Library } from './library-path.ts'

/** Where a frame's file comes from, judged by its name alone. */
export type Origin = 'project' | 'library' | 'runtime' | 'nowhere'

/** A frame's file as a normalised path, with what the path itself says. */
export interface FramePath {
  /** `/`-separated, without scheme, drive, query, `.` and empty segments; '' for names that are no files. */
  path: string
  absolute: boolean
  /** Whether the system that printed it ignores case. */
  anyCase: boolean
  origin: Origin
  /** The package that the path lies in; null when it lies in none. */
  library: Library | null
}

const CORE_MODULES = new Set([
  '_http_client.js',
  '_http_server.js',
  '_stream_readable.js',
  '_stream_writable.js',
  '_tls_wrap.js',
  'assert.js',
  'buffer.js',
  'child_process.js',
  'domain.js',
  'events.js',
  'fs.js',
  'module.js',
  'net.js',
  'node.js',
  'readline.js',
  'stream.js',
  'timers.js',
  'tty.js',
  'util.js',
  'vm.js',
  'zlib.js',
])
const RUNTIME =
  /^(?:node|native|deno|bun|ext|dart|java|jrt):|^<(?:frozen|internal:|builtin)|^(?:\(eval|\[native code\]|\[eval\]|\[internal function\])/
const NO_FILE = /^<[^/\\]*>$|^eval at |^-e?$|^\[.{0,40}\]$|^\?\??$/
const MAX_PATH_CHARS = 4096

const noFile = (origin: Origin): FramePath => ({ path: '', absolute: false, anyCase: false, origin, library: null })

function originOf(segments: readonly string[], absolute: boolean, library: Library | null): Origin {
  if (library !== null) return library.kind === 'runtime' ? 'runtime' : 'library'
  const [first = ''] = segments
  const core =
    !absolute &&
    ((first === 'internal' && /\.js$/.test(segments.at(-1) ?? '')) ||
      (segments.length === 1 && CORE_MODULES.has(first)))
  return core ? 'runtime' : 'project'
}

/** Removes what a browser adds to the name of a file. */
function withoutQuery(path: string): string {
  const name = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1
  const query = path.indexOf('?', name)
  return query === -1 ? path : path.slice(0, query)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path // a stray % is a character of the name
  }
}

function plainPath(file: string): { plain: string; absolute: boolean; anyCase: boolean } {
  const drive = /^[A-Za-z]:(?=[/\\])/
  const url = /^([a-z][a-z0-9+.-]{1,30}):\/\/\/?/i.exec(file)
  if (url === null) {
    const rest = file.replace(/^package:/, 'package/').replace(drive, '')
    return {
      plain: withoutQuery(rest),
      absolute: /^(?:[/\\]|[A-Za-z]:[/\\])/.test(file),
      anyCase: drive.test(file) || file.startsWith('\\\\'),
    }
  }
  const rest = decoded(file.slice(url[0].length).split(/[?#]/, 1)[0] ?? '')
  // webpack://name/./src/x.js and http://host/src/x.js: what the host served is a path below some root
  const absolute = url[1]?.toLowerCase() === 'file' || /^https?$/i.test(url[1] ?? '')
  return { plain: rest.replace(drive, ''), absolute, anyCase: drive.test(rest) }
}

/** Resolves `..`. People and tools abbreviate the beginning of a path as `...`, `…`, `<snip>` or `~`. */
function resolveDots(segments: readonly string[]): string[] {
  const resolved: string[] = []
  for (const segment of segments) {
    if (segment === '' || segment === '.' || /^(?:\.{3,}|…|~|<[^<>]*>|\[[^[\]]*\])$/.test(segment)) continue
    if (segment === '..') resolved.pop()
    else resolved.push(segment)
  }
  return resolved
}

/**
 * Reads a frame's file as printed: paths of any system, `file:`, `http:`, `webpack:` and `package:` URLs, `node:`
 * modules, `<string>`.
 */
export function framePath(file: string): FramePath {
  if (RUNTIME.test(file)) return noFile('runtime')
  if (NO_FILE.test(file)) return noFile('nowhere')
  const { plain, absolute, anyCase } = plainPath(file.slice(-MAX_PATH_CHARS))
  const segments = resolveDots(plain.split(/[/\\]/))
  const library = libraryOf(segments, absolute)
  return { path: segments.join('/'), absolute, anyCase, origin: originOf(segments, absolute, library), library }
}
