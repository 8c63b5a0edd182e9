import { baseName } from '../../core/path-names.ts'

/** Languages that import each other's files. */
export type Family =
  'python' | 'javascript' | 'jvm' | 'c' | 'csharp' | 'go' | 'rust' | 'ruby' | 'php' | 'swift' | 'shell'

const ENDINGS: Record<Family, string> = {
  python: 'py pyi pyx pxd',
  javascript: 'js mjs cjs jsx ts mts cts tsx vue svelte astro json css scss sass less html htm md mdx yml yaml graphql',
  jvm: 'java kt kts scala sc groovy',
  c: 'c h cc cpp cxx hh hpp hxx inc inl ipp def cu cuh m mm proto',
  csharp: 'cs',
  go: 'go',
  rust: 'rs',
  ruby: 'rb rake',
  php: 'php inc phtml',
  swift: 'swift',
  shell: 'sh bash zsh ksh zsh-theme',
}
const FAMILIES = new Map<string, Set<Family>>()
for (const [family, endings] of Object.entries(ENDINGS) as Array<[Family, string]>) {
  for (const ending of endings.split(' ')) FAMILIES.set(ending, (FAMILIES.get(ending) ?? new Set()).add(family))
}

/** What JavaScript imports with its ending only. */
const ASSET = /\.(?:json|s?css|sass|less|html?|mdx?|ya?ml|graphql)$/i
/** Files that stand for their folder. */
const FOLDER_FILES: Partial<Record<Family, ReadonlySet<string>>> = {
  python: new Set(['__init__', '__main__']),
  javascript: new Set(['index', 'main', 'default', 'mod']),
  rust: new Set(['mod', 'lib', 'main']),
  ruby: new Set(['init']),
  php: new Set(['index']),
}
/** Families of which a folder is imported with all files in it. */
const IMPORTED_BY_FOLDER: ReadonlySet<Family> = new Set(['jvm', 'csharp', 'go', 'swift'])
/** Folders of a package in which its code lies: `packages/cart/src/index.ts` is what `cart` means. */
const CODE_FOLDERS: ReadonlySet<string> = new Set(['src', 'lib'])
/** Folders from which names of modules are counted. */
const ROOT_FOLDERS: ReadonlySet<string> = new Set(
  (
    'src lib libs source sources include main test tests spec java kotlin scala groovy jvm python app apps ' +
    'packages crates modules extensions plugins vendor php ' +
    'jvmmain commonmain jvmtest commontest testfixtures integrationtest functionaltest'
  ).split(' '),
)

/** The names by which code can call a file, each with the folders above it. */
interface Forms {
  own: string[][]
  /** Its folder, where that is imported with all that lies in it. */
  folder: string[] | null
  isFolderFile: boolean
}

function endingOf(path: string): string {
  const name = baseName(path)
  const dot = name.lastIndexOf('.')
  return dot === -1 ? '' : name.slice(dot + 1).toLowerCase()
}

/** The languages that import files with this ending; null where nothing is known of how such a file is imported. */
export function familyOf(path: string): Family | null {
  return FAMILIES.get(endingOf(path))?.values().next().value ?? null
}

/** Whether files of a family import such a file, by a target that is written so. */
export function isImportable(path: string, family: Family | null, target: string): boolean {
  if (family === null) return true
  return FAMILIES.get(endingOf(path))?.has(family) === true && (!ASSET.test(path) || target.endsWith(baseName(path)))
}

/** The name of a file without its last ending; of declarations (`x.d.ts`) without both. */
export function stemOf(path: string): string {
  const name = baseName(path).replace(/\.d\.([cm]?ts)$/, '.$1')
  const dot = name.lastIndexOf('.')
  return dot > 0 ? name.slice(0, dot) : name
}

/**
 * The names by which code can call this file. Folders of C# are named after namespaces, dots included; headers are
 * imported with their ending.
 */
export function formsOf(path: string): Forms {
  const family = familyOf(path)
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  const above = family === 'csharp' ? folders.flatMap(folder => folder.split('.')) : folders
  const folder = family !== null && IMPORTED_BY_FOLDER.has(family) ? above : null
  if (family === 'c') return { own: [[...above, name]], folder, isFolderFile: false }
  const stem = stemOf(name)
  if (family === null || FOLDER_FILES[family]?.has(stem) !== true) {
    return { own: [[...above, stem]], folder, isFolderFile: false }
  }
  const last = above.at(-1) ?? ''
  const own = CODE_FOLDERS.has(last) ? [above, above.slice(0, -1)] : [above]
  return { own, folder, isFolderFile: true }
}

/** The names of a path without the file that stands for a folder. */
export function withoutFolderFile(parts: string[], family: Family | null): string[] {
  const last = parts.at(-1) ?? ''
  const isFolderFile = parts.length > 1 && family !== null && FOLDER_FILES[family]?.has(last) === true
  return isFolderFile ? parts.slice(0, -1) : parts
}

/** Whether a file of this name stands for its folder in any language. */
export const isFolderFileName = (name: string): boolean => Object.values(FOLDER_FILES).some(names => names.has(name))

/**
 * Whether names of modules may be counted from this folder on: from the top, from a folder for sources, from one of
 * `app/`.
 */
export function isRootFolder(folder: readonly string[]): boolean {
  return folder.length === 0 || ROOT_FOLDERS.has((folder.at(-1) ?? '').toLowerCase()) || folder.at(-2) === 'app'
}
