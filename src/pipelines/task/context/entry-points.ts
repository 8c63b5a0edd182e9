import { isObject } from '../../../core/is-object.ts'

/** Folders of programs in a repository of several, or of none. */
const PLACE = '^(?:(?:packages|apps|services|modules|crates|libs)/[^/]+/)?'
const SCRIPT = '\\.(?:[cm]?[jt]sx?|vue|svelte)$'

/** Where programs and libraries begin, those that say most first. */
const ENTRY_POINTS: readonly RegExp[] = [
  // JavaScript and its frameworks
  `${PLACE}src/(?:main|index|app|server|cli)${SCRIPT}`,
  `${PLACE}(?:main|index|app|server|cli)${SCRIPT}`,
  `${PLACE}(?:src/)?lib/(?:main|index)${SCRIPT}`,
  `${PLACE}(?:src/)?pages/(?:index|_app)${SCRIPT}`,
  `${PLACE}(?:src/)?app/(?:page|layout|app\\.component|app\\.module)${SCRIPT}`,
  `${PLACE}src/routes/\\+(?:page|layout)${SCRIPT}`,
  `${PLACE}(?:src/)?app/(?:root|entry\\.\\w+)${SCRIPT}`,
  // Python
  `${PLACE}(?:src/)?(?:[\\w-]+/)?(?:main|app|manage|wsgi|asgi|cli|__main__)\\.py$`,
  `${PLACE}(?:src/)?[\\w-]+/__init__\\.py$`,
  // Go
  `${PLACE}main\\.go$`,
  `${PLACE}cmd/[^/]+/main\\.go$`,
  // Rust
  `${PLACE}src/(?:lib|main)\\.rs$`,
  `${PLACE}src/bin/[^/]+\\.rs$`,
  // JVM
  `${PLACE}(?:[\\w-]+/)?src/main/[jks]\\w+/(?:[^/]+/)*(?:Main|App|[A-Z]\\w*Application|MainActivity)\\.\\w+$`,
  // .NET
  `${PLACE}(?:src/)?(?:[\\w.-]+/)?(?:Program|Startup)\\.cs$`,
  // Ruby
  `^(?:config\\.ru|app\\.rb|config/(?:application|routes)\\.rb|lib/[^/]+\\.rb)$`,
  // PHP
  `^(?:(?:public|web)/)?index\\.php$`,
  `^(?:artisan|src/Kernel\\.php|app/Http/Kernel\\.php|routes/(?:web|api)\\.php|bootstrap/app\\.php)$`,
  // Swift, C, Dart, Elixir
  `^(?:Sources/[^/]+/)?(?:main|[A-Z]\\w*App|AppDelegate)\\.swift$`,
  `^(?:src/)?main\\.(?:c|cc|cpp|cxx|m|mm)$`,
  `^lib/main\\.dart$`,
  `^lib/[^/]+/(?:application|router)\\.ex$`,
].map(pattern => new RegExp(pattern, /App\b|Main/.test(pattern) ? '' : 'i'))

/** Fields of `package.json` that name files. */
const NAMING = ['source', 'main', 'module', 'types', 'bin', 'exports']

/** Conditions of `exports` are nested; deeper ones are not written by people. */
const MAX_NESTING = 6

function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  return isObject(value) && depth < MAX_NESTING
    ? Object.values(value).flatMap(inner => stringsIn(inner, depth + 1))
    : []
}

function parsed(manifest: string): unknown {
  try {
    return JSON.parse(manifest)
  } catch {
    return null // others wrote it; a broken one names nothing
  }
}

/** The files that a `package.json` names as where its package begins, as paths; they may not exist. */
export function namedByManifest(manifest: string): string[] {
  const value = parsed(manifest)
  if (!isObject(value)) return []
  return NAMING.flatMap(field => stringsIn(value[field])).map(path => path.replace(/^\.\//, ''))
}

/** The files at which reading a project begins, of any language, in the order of what they tell. */
export function entryPoints(paths: readonly string[]): string[] {
  const found = ENTRY_POINTS.flatMap(pattern => paths.filter(path => pattern.test(path)))
  return [...new Set(found)]
}

const TYPES = /(?:\.d\.[cm]?ts|(?:^|\/)(?:types|typings)\.\w+|(?:^|\/)(?:types|typings)\/.+)$/i

/** Whether a file holds types: `*.d.ts`, `types.ts` and its like in other languages, what lies in `types/`. */
export const isTypeFile = (path: string): boolean => TYPES.test(path)
