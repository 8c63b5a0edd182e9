import { baseName } from '../../../core/path-names.ts'
import { MAX_TREE_DEPTH, MAX_TREE_ENTRIES } from './budgets.ts'

/** What a level takes of the entries that are left, where it would take all of them. */
const PART_OF_LARGE_LEVEL = 0.7

interface Folder {
  path: string
  folders: Folder[]
  files: string[]
  /** Files of it and of the folders in it. */
  total: number
}

interface TreeOptions {
  countTokens: (text: string) => number
  maxTokens: number
  maxEntries?: number
  maxDepth?: number
}

/** @param paths - Sorted, so that names come in one order. */
function folderTree(paths: readonly string[]): Folder {
  const root: Folder = { path: '', folders: [], files: [], total: 0 }
  const byPath = new Map([['', root]])

  function folderAt(path: string): Folder {
    const known = byPath.get(path)
    if (known !== undefined) return known
    const folder = { path, folders: [], files: [], total: 0 }
    byPath.set(path, folder)
    folderAt(path.slice(0, Math.max(0, path.lastIndexOf('/')))).folders.push(folder)
    return folder
  }

  for (const path of paths) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')))
    folderAt(folder).files.push(path)
    for (let at = folder; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) {
      folderAt(at).total++
      if (at === '') break
    }
  }
  return root
}

const entriesOf = (folder: Folder): Array<Folder | string> => [...folder.folders, ...folder.files]
const pathOf = (entry: Folder | string): string => (typeof entry === 'string' ? entry : entry.path)

/** One entry of each folder, then the next one of each, so that none takes all the room. Linear. */
function inTurn<T>(lists: ReadonlyArray<readonly T[]>): T[] {
  const all: T[] = []
  let open = lists
  for (let at = 0; open.length > 0; at++) {
    open = open.filter(({ length }) => length > at)
    for (const list of open) all.push(...list.slice(at, at + 1))
  }
  return all
}

/**
 * The entries of a tree by levels: what is near to the root comes first. A level that is too large leaves some room for
 * those below it.
 */
function chosenEntries(root: Folder, maxEntries: number, maxDepth: number): Set<string> {
  const chosen = new Set<string>()
  const left: string[] = []
  let level = [root]
  for (let depth = 1; depth <= maxDepth && level.length > 0; depth++) {
    const room = maxEntries - chosen.size
    const all = inTurn(level.map(entriesOf))
    const taken = all.slice(0, all.length <= room ? room : Math.ceil(room * PART_OF_LARGE_LEVEL))
    for (const entry of taken) chosen.add(pathOf(entry))
    for (const entry of all.slice(taken.length)) left.push(pathOf(entry))
    level = taken.filter(entry => typeof entry !== 'string')
  }
  for (const path of left.slice(0, maxEntries - chosen.size)) chosen.add(path)
  return chosen
}

function renderTree(root: Folder, chosen: ReadonlySet<string>): string {
  const lines: string[] = []

  /** @returns The files that it lists. */
  function render(folder: Folder, indent: string): number {
    let listed = 0
    for (const inner of folder.folders) {
      if (!chosen.has(inner.path)) continue
      const isOpen = entriesOf(inner).some(entry => chosen.has(pathOf(entry)))
      lines.push(`${indent}${baseName(inner.path)}/${isOpen ? '' : ` (files: ${inner.total})`}`)
      if (isOpen) render(inner, `${indent}  `)
      listed += inner.total
    }
    for (const path of folder.files) {
      if (!chosen.has(path)) continue
      lines.push(`${indent}${baseName(path)}`)
      listed++
    }
    if (listed < folder.total) lines.push(`${indent}… files that are not listed: ${folder.total - listed}`)
    return listed
  }

  render(root, '')
  return lines.join('\n')
}

/**
 * A repository as an indented list of names, folders first: at most 500 entries, 6 levels deep, within a budget. What
 * is near to the root is listed first, and each folder of a level gets its share; what is not listed is counted.
 */
export function fileTree(
  paths: readonly string[],
  { countTokens, maxTokens, maxEntries = MAX_TREE_ENTRIES, maxDepth = MAX_TREE_DEPTH }: TreeOptions,
): string {
  const root = folderTree(paths)
  const render = (entries: number): string => renderTree(root, chosenEntries(root, entries, maxDepth))
  const whole = render(maxEntries)
  if (countTokens(whole) <= maxTokens) return whole
  let [fits, tooMany] = [0, maxEntries]
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (countTokens(render(middle)) <= maxTokens) fits = middle
    else tooMany = middle
  }
  return render(fits)
}
