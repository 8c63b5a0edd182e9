import {
  familyOf,
  formsOf,
  isFolderFileName,
  isImportable,
  isRootFolder,
  stemOf,
  withoutFolderFile,
  type Family,
} from './module-names.ts'
import type { Import } from '../../core/outline.ts'
import { folderOf } from '../../core/path-names.ts'

/** Endings that an import may spell out. What else follows a dot is a name. */
const ENDING =
  /\.(?:[cm]?[jt]sx?|json|vue|svelte|s?css|less|html?|mdx?|ya?ml|pyi?|pyx|pxd|rb|php|go|rs|swift|dart|lua|sh|bash|zsh|sql)$/i
/** Files that are imported with their ending. */
const HEADER = /\.(?:h|hh|hpp|hxx|c|cc|cpp|cxx|inc|inl|ipp|def|cuh|proto)$/i
/** The dots of Python's `..a` and of a lone `..`, not those of a path (`../a`). */
const LEADING_DOTS = /^\.+(?![./])/
/** The folder that a shell script names by a variable: `$HERE/` or `${HERE}/`. */
const LEADING_VARIABLE = /^\$\{?\w+\}?\//
/** Words that lead to a place in the project without naming one. */
const PLACES: ReadonlySet<string> = new Set(['crate', 'self', 'super', 'static', '', '@', '~'])
/** Key of all files that stand for their folder, for imports that name no more than that. */
const SOME_FOLDER = '.'
/** Names of one import that are looked at; more is a table, not a choice. */
const MAX_NAMES = 50
const MAX_TARGET_LENGTH = 500
/** Files of a folder that is imported as a whole. */
const MAX_FOLDER_FILES = 20
/** Last names of a target that may be members of what is imported, as in `Outer.Inner.VALUE`. */
const MAX_MEMBERS = 3
/** What makes an agreement of all names better than one of as many names that is not of all. */
const WHOLE_TARGET = 0.25
/** What makes a folder worse than a file of the same name. */
const FOLDER_LESS = 0.5
/** Families that look for a module from the roots of their code only, never in the middle of a path. */
const ROOTED: ReadonlySet<Family> = new Set(['python', 'jvm', 'ruby'])
/** Families in which an import may count from where the importer is. */
const LOCAL: ReadonlySet<Family> = new Set(['python', 'ruby', 'rust', 'jvm', 'shell', 'php'])

/** What an import may mean: the last names of a path, and the folder they start from where it is relative. */
interface Meaning {
  parts: string[]
  base: string[] | null
  isFallback: boolean
}

interface Importer {
  path: string
  folder: string[]
  family: Family | null
}

/** What is looked for, for whom, and among which paths. */
interface Search {
  target: string
  from: Importer
  filesByKey: (key: string) => readonly string[]
}

type Imported = Pick<Import, 'target' | 'names'>

/** Python counts folders by dots: `.a` is beside the importer, `..a` one folder up. */
function meaningOfDots(target: string, dots: number, folder: readonly string[]): Omit<Meaning, 'isFallback'> {
  const names = target.slice(dots).split('.')
  return {
    base: folder.slice(0, Math.max(0, folder.length - dots + 1)),
    parts: names.filter(part => part !== ''),
  }
}

function meaningOfRelativePath(path: string, { folder, family }: Importer): Omit<Meaning, 'isFallback'> {
  const steps = path.split('/')
  const base = [...folder]
  while (steps[0] === '.' || steps[0] === '..') if (steps.shift() === '..') base.pop()
  const names = steps.filter(step => step !== '')
  return { base, parts: withoutFolderFile(names, family) }
}

/** What stands between the names of a target. */
function separatorIn(path: string, family: Family | null): string {
  if (family === 'javascript' || path.includes('/') || HEADER.test(path)) return '/'
  if (path.includes('::')) return '::'
  return path.includes('\\') ? '\\' : '.'
}

function meaningOf(target: string, importer: Importer): Omit<Meaning, 'isFallback'> | null {
  const [dots = ''] = LEADING_DOTS.exec(target) ?? []
  if (dots !== '') return meaningOfDots(target, dots.length, importer.folder)
  const [file = ''] = target.split(/[?#]/, 1)
  const path = file.replace(LEADING_VARIABLE, '').replace(ENDING, '')
  if (/^\.\.?(?:\/|$)/.test(path)) return meaningOfRelativePath(path, importer)
  const parts = path
    .split(separatorIn(path, importer.family))
    .filter(part => !PLACES.has(part) && part !== '*' && part !== '_')
  return parts.length === 0 ? null : { base: null, parts: withoutFolderFile(parts, importer.family) }
}

/**
 * Best first: the target itself, each of the names taken as a file of its own, and last the target without its last
 * names, which may be members.
 */
function meaningsOf({ target, names }: Imported, importer: Importer): Meaning[] {
  const whole = meaningOf(target.slice(0, MAX_TARGET_LENGTH), importer)
  if (whole === null) return []
  const meanings = [{ ...whole, isFallback: false }]
  if (importer.family === 'javascript') return meanings
  if (target.includes('/')) {
    // A script may be run from another folder than its own; a major version is part of a module's name, seldom of its
    // folder's.
    if (whole.base !== null && whole.parts.length > 1) meanings.push({ ...whole, base: null, isFallback: true })
    const unversioned = whole.parts.filter((part, i) => i === 0 || !/^v\d+$/.test(part))
    if (unversioned.length < whole.parts.length) meanings.push({ ...whole, parts: unversioned, isFallback: true })
    return meanings
  }
  for (const name of names.slice(0, MAX_NAMES)) {
    if (/^\w+$/.test(name)) meanings.push({ ...whole, parts: [...whole.parts, name], isFallback: false })
  }
  for (let members = 1; members <= MAX_MEMBERS && members < whole.parts.length; members++) {
    meanings.push({ ...whole, parts: whole.parts.slice(0, -members), isFallback: true })
  }
  return meanings
}

/** Folders of crates and packages have hyphens where their names in code have underscores. */
const normal = (name: string): string => name.toLowerCase().replaceAll('-', '_')

const distinct = (keys: readonly string[]): string[] => [...new Set(keys.map(normal))].filter(key => key !== '')

function keysOf({ parts, base }: Meaning): string[] {
  const noName = base === null ? '' : SOME_FOLDER
  const [last = noName, above = SOME_FOLDER] = parts.slice(-2).reverse()
  return isFolderFileName(last) ? [last, above] : [last]
}

/** What the files that an import may mean are looked up by: one is among the `fileKeys` of each of them. */
export function importKeys(imported: Imported): string[] {
  const keys = meaningsOf(imported, { path: '', folder: [], family: null }).flatMap(keysOf)
  const whole = imported.target.slice(0, MAX_TARGET_LENGTH).replace(ENDING, '')
  return distinct([...keys, whole.includes('/') ? '' : whole, imported.target.startsWith('crate::') ? SOME_FOLDER : ''])
}

/**
 * The names by which a file may be imported: its own with and without the ending, and its folder's where it stands for
 * that.
 */
export function fileKeys(path: string): string[] {
  const { own, folder, isFolderFile } = formsOf(path)
  return distinct([
    ...own.map(form => form.at(-1) ?? ''),
    folder?.at(-1) ?? '',
    stemOf(path),
    ...(isFolderFile ? [SOME_FOLDER] : []),
  ])
}

/**
 * Names that must agree where the first ones of an import stand for the project: `host/owner/module/pkg`,
 * `com.acme.pkg.Type`, `@scope/package`.
 */
function leastOf(
  family: Family | null,
  target: string,
  { parts, isFolder }: { parts: readonly string[]; isFolder: boolean },
): number {
  if (family === 'go') return /^[^/]*\./.test(target) ? 1 : 2
  if (family === 'javascript' && target.startsWith('@')) return parts.length - 1
  if (family === 'python' || family === 'javascript') return parts.length
  return family === 'jvm' || isFolder ? 2 : 1
}

/** A single name is often one of the language's own library: `util`, `errors`, `kotlin`. */
function mayBeOneName(
  family: Family | null,
  target: string,
  {
    isWhole,
    isFolder,
    isFolderFile,
    above,
  }: { isWhole: boolean; isFolder: boolean; isFolderFile: boolean; above: readonly string[] },
): boolean {
  if (family === 'javascript') return isFolderFile || (isWhole && (above.length === 0 || /^[@~]\//.test(target)))
  return !isWhole || (family !== 'go' && !(family === 'jvm' && isFolder))
}

/** Whether a folder is the importer's or one around it. */
function isAround(above: readonly string[], folder: readonly string[], family: Family | null): boolean {
  return (
    family !== null &&
    LOCAL.has(family) &&
    above.length <= folder.length &&
    above.every((name, i) => name === folder[i])
  )
}

function commonEnd(a: readonly string[], b: readonly string[]): number {
  let length = 0
  while (
    length < a.length &&
    length < b.length &&
    normal(a[a.length - 1 - length] ?? '') === normal(b[b.length - 1 - length] ?? '')
  ) {
    length++
  }
  return length
}

/** How the names of an import and those of a file, or of a folder, agree at their ends. */
interface Agreement {
  common: number
  /** The folders above the names that agree. */
  above: readonly string[]
  /** All names of the import agree. */
  isWhole: boolean
  isFolder: boolean
  isFolderFile: boolean
}

/** Whether so few names may agree as do. */
function isEnough(
  { common, above, isWhole, isFolder, isFolderFile }: Agreement,
  parts: readonly string[],
  { target, from: { family } }: Search,
): boolean {
  if (common === 0) return false
  if (!isWhole && common < leastOf(family, target, { parts, isFolder })) return false
  if (common > 1) return true
  return mayBeOneName(family, target, { isWhole: isWhole && parts.length === 1, isFolder, isFolderFile, above })
}

/** Whether the names that agree lie inside of a Python package, whose modules are imported by its name. */
function isInsideOfPackage(above: readonly string[], { from: { family }, filesByKey }: Search): boolean {
  if (family !== 'python' || above.length === 0) return false
  return filesByKey(normal(above.at(-1) ?? '')).includes(`${above.join('/')}/__init__.py`)
}

/** Whether one of the folders above is the first name of a PHP namespace, whose folders follow it in part. */
function isOfNamespace(above: readonly string[], parts: readonly string[], family: Family | null): boolean {
  const first = normal(parts[0] ?? '')
  return family === 'php' && parts.length > 1 && above.some(name => normal(name) === first)
}

/** Whether modules may be looked for below these folders. */
function mayBeginAt(
  { above, isWhole }: Agreement,
  parts: readonly string[],
  { from: { family, folder } }: Search,
): boolean {
  if (isRootFolder(above) || isOfNamespace(above, parts, family)) return true
  if (!isWhole) return false
  const isFreeToLie = parts.length > 1 && (family === null || !ROOTED.has(family))
  return isFreeToLie || isAround(above, folder, family)
}

function agreementOfNames(
  form: readonly string[],
  parts: readonly string[],
  kind: Pick<Agreement, 'isFolder' | 'isFolderFile'>,
  search: Search,
): number {
  const common = commonEnd(form, parts)
  const isWhole = common === parts.length
  const agreement = { ...kind, common, isWhole, above: form.slice(0, form.length - common) }
  if (!isEnough(agreement, parts, search)) return 0
  if (search.from.family === 'c') return isWhole ? common : 0
  if (isInsideOfPackage(agreement.above, search) || !mayBeginAt(agreement, parts, search)) return 0
  return isWhole ? common + WHOLE_TARGET : common
}

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && commonEnd(a, b) === a.length

/** As `agreementOf`, for an import that counts from a folder: all names must agree. */
function agreementFrom(base: readonly string[], parts: readonly string[], path: string, family: Family | null): number {
  if (!path.startsWith([...base, ...parts.slice(0, -1)].join('/'))) return 0
  const { own, folder } = formsOf(path)
  const wanted = withoutFolderFile([...base, ...parts], family)
  if (own.some(form => isSame(form, wanted))) return wanted.length + 1
  return folder !== null && isSame(folder, wanted) ? wanted.length + 0.5 : 0
}

/**
 * How many of the last names agree, case aside; 0 where too few do. A file counts a little more than a folder of the
 * same name.
 */
function agreementOf({ parts, base }: Meaning, path: string, search: Search): number {
  if (base !== null) return agreementFrom(base, parts, path, search.from.family)
  const { own, folder, isFolderFile } = formsOf(path)
  const asFile = own.map(form => agreementOfNames(form, parts, { isFolder: false, isFolderFile }, search))
  const asFolder =
    folder === null ? 0 : agreementOfNames(folder, parts, { isFolder: true, isFolderFile }, search) - FOLDER_LESS
  return Math.max(...asFile, asFolder, 0)
}

function sharedFolders(a: string, b: string): number {
  const [first, second] = [a.split('/').slice(0, -1), b.split('/').slice(0, -1)]
  let shared = 0
  while (shared < first.length && shared < second.length && first[shared] === second[shared]) shared++
  return shared
}

function best(meaning: Meaning, offered: readonly string[], search: Search): string[] {
  const { target, from } = search
  let most = 0
  let found: string[] = []
  for (const path of offered) {
    if (path === from.path || !isImportable(path, from.family, target)) continue
    const agreement = agreementOf(meaning, path, search)
    if (agreement < most || agreement === 0) continue
    if (agreement > most) found = []
    most = agreement
    found.push(path)
  }
  if (found.length < 2) return found
  const nearness = found.map(path => sharedFolders(path, from.path))
  const nearest = Math.max(...nearness)
  const near = found.filter((_, i) => nearness[i] === nearest)
  const [first = ''] = near
  const isFolder = formsOf(first).folder !== null && near.every(path => folderOf(path) === folderOf(first))
  if (isFolder) return near.slice(0, MAX_FOLDER_FILES)
  const spelled = near.filter(path => target.endsWith(path.slice(folderOf(path).length)))
  return [(spelled.length > 0 ? spelled : near).reduce((a, b) => (b.length < a.length ? b : a))]
}

/** The nearest file around the importer that begins a crate: what is not in a file of its own is declared there. */
function crateRoot({ path, folder }: Importer, offered: readonly string[]): string[] {
  const around = offered.filter(
    root =>
      root !== path && /(?:^|\/)(?:lib|main)\.rs$/.test(root) && isAround(root.split('/').slice(0, -1), folder, 'rust'),
  )
  return around.length === 0 ? [] : [around.reduce((a, b) => (b.length > a.length ? b : a))]
}

/**
 * The files that an import means, by the names of paths alone: those that begin where code does (at the top, in a
 * folder for sources, around the importer) and end with the names of the import; the more of them the better, of
 * equally good ones the nearest to the importer. No compiler's rules are followed, so what the language would find
 * elsewhere may be found here, and the other way round.
 *
 * @param filesByKey - The paths with a `fileKeys` key.
 * @returns None where no path fits. Several for an import of a folder or of several files.
 */
export function resolveImport(
  imported: Imported,
  importer: string,
  filesByKey: (key: string) => readonly string[],
): string[] {
  const from: Importer = { path: importer, folder: importer.split('/').slice(0, -1), family: familyOf(importer) }
  const found = new Set<string>()
  const search: Search = { target: imported.target, from, filesByKey }
  let isModuleFound = false
  for (const meaning of meaningsOf(imported, from)) {
    if (meaning.isFallback && isModuleFound) break
    const key = meaning.parts.at(-1) ?? meaning.base?.at(-1) ?? SOME_FOLDER
    for (const path of best(meaning, filesByKey(normal(key)), search)) {
      found.add(path)
      isModuleFound = true
    }
  }
  return found.size === 0 && imported.target.startsWith('crate::')
    ? crateRoot(from, filesByKey(SOME_FOLDER))
    : [...found]
}
