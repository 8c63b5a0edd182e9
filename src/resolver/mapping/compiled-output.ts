/** Folders that tools write to, or that name a module format; no source has one of them in its path. */
const OUTPUT = new Set([
  'dist',
  'build',
  '_build',
  'out',
  'output',
  'lib',
  'libs',
  'esm',
  'cjs',
  'es',
  'es6',
  'es5',
  'es2015',
  'es2017',
  'es2020',
  'esnext',
  'umd',
  'iife',
  'amd',
  'module',
  'modern',
  'commonjs',
  'node',
  'browser',
  'bundle',
  'bundles',
  'prod',
  'production',
  'development',
  'min',
  'compiled',
  'target',
  '.next',
  '.output',
  'public',
  'static',
  'js',
  'server',
  'chunks',
  'tsc-out',
  'build-tmp',
])
const SOURCE = new Set(['src', 'source', 'sources', 'app', 'lib', 'ts', 'coffee', 'js'])
const COMPILED = /\.(?:[cm]?js|jsx)$/i
const SOURCE_FILE = /^(.+?)\.(?:[cm]?tsx?|[cm]?jsx?|vue|svelte|coffee|litcoffee|ls|res|elm|flow|es6|marko|astro)$/i
/** One part of a name that a tool added to it. */
const ADDED =
  /[.-](?:min|prod|production|dev|development|esm|cjs|umd|mjs|common|module|browser|node|server|client|bundle|[0-9a-f]{8,32})$/i
const MAX_ADDED_CHARS = 33
const DECLARATION = /\.d\.[cm]?ts$/i

/** Whether a file of this name can have been written by a compiler or bundler of JavaScript. */
export const mayBeCompiled = (path: string): boolean => COMPILED.test(path)

/** What the source of a compiled file is called: `x.min.js`, `x.prod.cjs` and `x.1a2b3c4d.js` come from `x`. */
export function sourceStem(name: string): string {
  let end = name.length - (/\.[cm]?jsx?$/i.exec(name)?.[0].length ?? 0)
  if (end === name.length) return name
  for (let added = 1; added > 0; end -= added) {
    added = ADDED.exec(name.slice(Math.max(0, end - MAX_ADDED_CHARS), end))?.[0].length ?? 0
  }
  return name.slice(0, end)
}

/** Whether a file's name can be that of the source with this stem. */
export const isSourceOf = (sourceName: string, stem: string): boolean =>
  !DECLARATION.test(sourceName) && SOURCE_FILE.exec(sourceName)?.[1]?.toLowerCase() === stem.toLowerCase()

/** The folders in the path of a compiled file or a source that tell which one it is. */
export const tellingFolders = (folders: readonly string[]): string[] =>
  folders.filter(folder => !OUTPUT.has(folder.toLowerCase()) && !SOURCE.has(folder.toLowerCase()))

/** Whether a path looks like compiled output and not like a source that happens to be JavaScript. */
export const isOutput = (segments: readonly string[]): boolean =>
  segments.slice(0, -1).some(folder => OUTPUT.has(folder.toLowerCase())) ||
  /\.(?:min|bundle|prod|esm|cjs|umd|[0-9a-f]{8,32})\.[cm]?js$/i.test(segments.at(-1) ?? '')
