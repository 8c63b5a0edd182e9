import type { Import } from './outline.ts'

/** Files that stand for their folder. */
const FOLDER_FILES: ReadonlySet<string> = new Set(['index', '__init__', '__main__', 'mod', 'lib', 'main', 'init', 'default', 'package-info'])
/** Endings that an import may spell out. What else follows a dot is a name. */
const ENDING = /\.(?:[cm]?[jt]sx?|json|vue|svelte|css|scss|less|py|pyi|pyx|pxd|rb|php|go|rs|swift|dart|lua|sh|bash|zsh|sql|h|hh|hpp|hxx|c|cc|cpp|cxx|inc|inl|proto)$/i
/** Endings of files that are imported by the folder that they lie in. */
const IMPORTED_BY_FOLDER = /\.(?:go|java|kt|kts|scala|cs|swift)$/i
/** Words that lead to a place in the project without naming one. */
const ROOTS: ReadonlySet<string> = new Set(['crate', 'self', 'super', 'static', '', '@', '~'])
/** Names of one import that are looked at; more is a table, not a choice. */
const MAX_NAMES = 50
const MAX_TARGET_LENGTH = 500
/** Files of a folder that is imported as a whole. */
const MAX_FOLDER_FILES = 20

/** What an import may mean: the last names of a path, and the folder they start from where it is relative. */
interface Meaning { parts: string[], base: string[] | null }

/** In lower case, what the files that an import may mean are looked up by: one is among the `fileKeys` of such a file. An import that names no more than a folder above has none. */
export function importKeys (imported: Pick<Import, 'target' | 'names'>): string[] {
  return [...new Set(meaningsOf(imported, 'x').flatMap(({ parts, base }) => (parts.at(-1) ?? base?.at(-1) ?? '').toLowerCase()))].filter(key => key !== '')
}

/** In lower case, the names by which a file may be imported: its own without the ending, and its folder's where that stands for it. */
export function fileKeys (path: string): string[] {
  const folder = path.split(path.endsWith('.cs') ? /[/.]/ : '/').at(path.endsWith('.cs') ? -3 : -2)
  const keys = [moduleOf(path).at(-1), IMPORTED_BY_FOLDER.test(path) || path.includes('/__init__.') ? folder : undefined, stemOf(path)]
  return [...new Set(keys.flatMap(key => key === undefined || key === '' ? [] : [key.toLowerCase()]))]
}

/**
 * The files that an import means, by the names of paths alone: the more of the import's last names a path ends with, the better; of equally good ones
 * the nearest to the importer. No compiler's rules are followed, so what the language would find elsewhere may be found here, and the other way round.
 *
 * @param filesByKey - The paths with a `fileKeys` key.
 * @returns None where no path fits. Several for an import of a folder or of several files.
 */
export function resolveImport (imported: Pick<Import, 'target' | 'names'>, importer: string, filesByKey: (key: string) => readonly string[]): string[] {
  const found = new Set<string>()
  let isModuleFound = false
  for (const meaning of meaningsOf(imported, importer)) {
    if (meaning.isFallback && isModuleFound) break
    const key = (meaning.parts.at(-1) ?? meaning.base?.at(-1) ?? '').toLowerCase()
    for (const path of best(meaning, importer, filesByKey(key))) {
      if (path !== importer) found.add(path)
      isModuleFound = true
    }
  }
  return [...found]
}

/** Best first: with each of the names taken as a file of its own, the target itself, and last the target without its last name, which may be one in a file. */
function meaningsOf ({ target, names }: Pick<Import, 'target' | 'names'>, importer: string): Array<Meaning & { isFallback: boolean }> {
  const whole = meaningOf(target.slice(0, MAX_TARGET_LENGTH), importer)
  if (whole === null) return []
  const meanings = [{ ...whole, isFallback: false }]
  if (!target.includes('/')) for (const name of names.slice(0, MAX_NAMES)) if (/^\w+$/.test(name)) meanings.push({ ...whole, parts: [...whole.parts, name], isFallback: false })
  if (whole.parts.length > 1 && !target.includes('/')) meanings.push({ ...whole, parts: whole.parts.slice(0, -1), isFallback: true })
  return meanings
}

function meaningOf (target: string, importer: string): Meaning | null {
  const folder = importer.split('/').slice(0, -1)
  const dots = /^\.+(?![./])/.exec(target)?.[0].length ?? (/^\.+$/.exec(target)?.[0].length ?? 0)
  if (dots > 0) return { base: folder.slice(0, Math.max(0, folder.length - dots + 1)), parts: target.slice(dots).split('.').filter(part => part !== '') } // Python
  const path = (target.split(/[?#]/, 1)[0] ?? '').replace(ENDING, '')
  if (/^\.\.?(?:\/|$)/.test(path)) {
    const steps = path.split('/')
    const base = [...folder]
    while (steps[0] === '.' || steps[0] === '..') if (steps.shift() === '..') base.pop()
    return { base, parts: withoutFolderFile(steps.filter(step => step !== '')) }
  }
  const separator = path.includes('/') ? '/' : path.includes('::') ? '::' : path.includes('\\') ? '\\' : '.'
  const parts = path.split(separator).filter(part => !ROOTS.has(part) && part !== '*' && part !== '_')
  return parts.length === 0 ? null : { base: null, parts: withoutFolderFile(parts) }
}

function best (meaning: Meaning, importer: string, paths: readonly string[]): string[] {
  let most = 0
  let found: string[] = []
  for (const path of paths) {
    const agreement = agreementOf(meaning, path)
    if (agreement < most || agreement === 0) continue
    if (agreement > most) found = []
    most = agreement
    found.push(path)
  }
  if (found.length < 2) return found
  const nearness = found.map(path => sharedFolders(path, importer))
  const nearest = Math.max(...nearness)
  const near = found.filter((_, i) => nearness[i] === nearest)
  const [first = ''] = near
  const isFolder = IMPORTED_BY_FOLDER.test(first) && near.every(path => folderOf(path) === folderOf(first))
  return isFolder ? near.slice(0, MAX_FOLDER_FILES) : [near.reduce((a, b) => b.length < a.length ? b : a)]
}

/** How many of the last names agree, case aside; 0 where too few do. A file counts a little more than a folder of the same name. */
function agreementOf ({ parts, base }: Meaning, path: string): number {
  const own = moduleOf(path)
  if (base !== null) {
    const wanted = withoutFolderFile([...base, ...parts])
    return isSame(own, wanted) ? wanted.length + 1 : IMPORTED_BY_FOLDER.test(path) && isSame(own.slice(0, -1), wanted) ? wanted.length + 0.5 : 0
  }
  const asFile = commonEnd(own, parts)
  const asFolder = IMPORTED_BY_FOLDER.test(path) ? commonEnd(own.slice(0, -1), parts) - 0.5 : 0
  const agreement = Math.max(asFile, asFolder)
  // A path within a module that has a name of its own (`host/owner/module/pkg/x`, `com.acme.x`) agrees in part.
  return agreement >= Math.min(2, parts.length) - 0.5 ? agreement : 0
}

function commonEnd (a: readonly string[], b: readonly string[]): number {
  let length = 0
  while (length < a.length && length < b.length && isEqual(a[a.length - 1 - length] ?? '', b[b.length - 1 - length] ?? '')) length++
  return length
}

const isSame = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && commonEnd(a, b) === a.length

/** `string_concatenation` and `StringConcatenation` are one name in languages that name files after types. */
const isEqual = (a: string, b: string): boolean => a === b || a.toLowerCase() === b.toLowerCase()

function sharedFolders (a: string, b: string): number {
  const [first, second] = [a.split('/').slice(0, -1), b.split('/').slice(0, -1)]
  let shared = 0
  while (shared < first.length && shared < second.length && first[shared] === second[shared]) shared++
  return shared
}

/** A path as the names by which code calls it. Folders of C# are named after namespaces, dots included. */
function moduleOf (path: string): string[] {
  const folders = path.split('/')
  const stem = stemOf(folders.pop() ?? '')
  return withoutFolderFile([...(path.endsWith('.cs') ? folders.flatMap(folder => folder.split('.')) : folders), stem])
}

function withoutFolderFile (parts: string[]): string[] {
  return parts.length > 1 && FOLDER_FILES.has(parts.at(-1) ?? '') ? parts.slice(0, -1) : parts
}

/** The name of a file without its last ending; of declarations (`x.d.ts`) without both. */
function stemOf (path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.d\.([cm]?ts)$/, '.$1')
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(0, dot) : name
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)
