import { baseName } from '../../core/path-names.ts'
import { tokenize } from '../../core/tokenize.ts'
import { stemOf, type IndexedFile } from '../code/file-index.ts'

/** The names of a project's files, to be compared with words of a text. */
export interface NameTable {
  /**
   * Files whose base name without its extensions is this, ignoring case and separators: `StringConcatenation` finds
   * string_concatenation.rb.
   */
  stemmed: (word: string) => readonly IndexedFile[]
  /**
   * Files named like the last of some plain words and at the end of whose path most of the words stand; none where that
   * is only one.
   */
  endingIn: (words: readonly string[]) => readonly IndexedFile[]
  /** Files with a word in their path, as indices of `files`. */
  withPathWord: (word: string) => readonly number[]
  files: readonly IndexedFile[]
  /** Whether a file or a folder has the name. */
  hasName: (name: string) => boolean
}

const cache = new WeakMap<readonly IndexedFile[], NameTable>()
const UNTELLING = new Set(['index', 'init', 'main', 'mod', 'lib', 'package', 'readme'])

/** A word without case and separators. */
export const plainWord = (word: string): string => word.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')

function addTo(groups: Map<string, Namesakes>, name: string, file: IndexedFile): void {
  const group = groups.get(name)
  if (group === undefined) groups.set(name, { files: [file], within: null })
  else group.files.push(file)
}

/** Files by the folder at this distance from the end of their paths. */
function folders(files: readonly IndexedFile[], fromEnd: number): Map<string, Namesakes> {
  const within = new Map<string, Namesakes>()
  for (const file of files) {
    const folder = file.path.split('/').at(-1 - fromEnd)
    if (folder !== undefined) addTo(within, plainWord(folder), file)
  }
  return within
}

function endingIn(all: Namesakes | undefined, words: readonly string[]): readonly IndexedFile[] {
  let [most, count] = [all, 1]
  while (most !== undefined && count < words.length) {
    most.within ??= folders(most.files, count)
    const nearer = most.within.get(words.at(-1 - count) ?? '')
    if (nearer === undefined) break
    most = nearer
    count++
  }
  return most === undefined || count < 2 ? [] : most.files
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/** Built once for a list of files: about 10 µs a file. */
export function nameTableOf(files: readonly IndexedFile[]): NameTable {
  const made = cache.get(files)
  if (made !== undefined) return made
  const byStem = new Map<string, Namesakes>()
  const byWord = new Map<string, number[]>()
  const names = new Set<string>()
  for (const [id, file] of files.entries()) {
    const stem = plainWord(stemOf(baseName(file.path)))
    if (stem.length > 2 && !UNTELLING.has(stem)) addTo(byStem, stem, file)
    const dot = file.path.indexOf('.', file.path.lastIndexOf('/') + 2)
    const words = new Set(tokenize(dot === -1 ? file.path : file.path.slice(0, dot)))
    for (const word of words) push(byWord, word, id)
    for (const segment of file.path.split('/')) names.add(stemOf(segment))
  }
  const table: NameTable = {
    files,
    stemmed: word => byStem.get(plainWord(word))?.files ?? [],
    endingIn: words => endingIn(byStem.get(words.at(-1) ?? ''), words),
    withPathWord: word => byWord.get(word) ?? [],
    hasName: name => names.has(name),
  }
  cache.set(files, table)
  return table
}

/** Files whose paths end in the same plain words. */
interface Namesakes {
  files: IndexedFile[]
  /**
   * By the word before those; made when first asked for, as few names are: so many names of a text in many files of a
   * name take no time.
   */
  within: Map<string, Namesakes> | null
}
