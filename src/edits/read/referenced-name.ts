import { safePath } from '../../core/safe-path.ts'
import type { FileBlock } from '../edit.ts'

const REFERENCE = /<(?:link|script)\b[^<>]{0,500}?\b(?:href|src)\s*=\s*["']([^"'<>]{1,300})["']/gi
const EXTENSIONS: ReadonlyMap<string, RegExp> = new Map([
  ['css', /\.css$/i],
  ['scss', /\.scss$/i],
  ['javascript', /\.m?js$/i],
  ['js', /\.m?js$/i],
])

/** Local files that a page asks for, by their paths from the root. */
function referencesOf({ path, content }: FileBlock): string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1)
  return Array.from(content.matchAll(REFERENCE), ([, name = '']) => name.split(/[?#]/, 1)[0] ?? '')
    .filter(name => !name.includes(':') && !name.startsWith('//'))
    .map(name => safePath(name.startsWith('/') ? name.slice(1) : folder + name.replace(/^\.\//, '')))
    .filter(name => name !== null)
}

/**
 * The name of a stylesheet or a script that has none: the only one that a page of the same reply asks for and the reply
 * does not name.
 *
 * @param language - Of its fence.
 */
export function referencedName(files: readonly FileBlock[], language: string): string | null {
  const extension = EXTENSIONS.get(language)
  if (extension === undefined) return null
  const known = new Set(files.map(({ path }) => path))
  const pages = files.filter(({ path }) => /\.(?:html?|xhtml)$/i.test(path))
  const missing = new Set(pages.flatMap(referencesOf).filter(path => extension.test(path) && !known.has(path)))
  const [path, other] = missing
  return path === undefined || other !== undefined ? null : path
}
