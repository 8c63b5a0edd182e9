import { baseName } from '../../core/path-names.ts'
import { replyProblem, type EditProblem, type FileBlock } from '../edit.ts'
import { Targets, type Target } from './find-target.ts'
import { Folders } from './folders.ts'

/** The share of lines that a block and a file have in common from which on the block is a version of the file. */
const SAME_FILE = 0.5
/** Names that files of several folders have. */
const RECURRING =
  /^(?:__init__|index|main|mod|lib|conftest|setup|readme|license|changelog|package|tsconfig|requirements|makefile|dockerfile|\.\w+)(?:\.|$)/i
const MAX_CHARS_SHOWN = 2000

/** A block under the name of the file that it means, or why it cannot be told. */
type BlockTarget = { file: FileBlock } | { problem: EditProblem }

/** The lines of a text that tell it from others. */
export const tellingLines = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split('\n')
      .map(line => line.trim())
      .filter(line => line.length >= 4 && /\p{L}/u.test(line)),
  )

/** The share of lines that one text has of the other, the greater of both ways. */
function likeness(own: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [few, many] = own.size < other.size ? [own, other] : [other, own]
  let shared = 0
  for (const line of few) if (many.has(line)) shared++
  return few.size === 0 ? 0 : shared / few.size
}

/** Whether one path is the other one below further folders. */
const isBelow = (path: string, name: string): boolean => path.endsWith(`/${name}`) || name.endsWith(`/${path}`)

const firstFolder = (path: string): string | null => (path.includes('/') ? path.slice(0, path.indexOf('/')) : null)

/** Finds the files that blocks mean whose names are not exactly those of files. */
export class BlockTargets {
  readonly #files: ReadonlyMap<string, string>
  readonly #targets: Targets
  readonly #folders: Folders
  readonly #lines = new Map<string, ReadonlySet<string>>()
  /** First folders in which the reply makes files that are like none which are there. */
  readonly #newFolders: ReadonlySet<string>

  /** @param paths - All that is there, where `files` are not all of it. */
  constructor(files: ReadonlyMap<string, string>, blocks: readonly FileBlock[], paths: Iterable<string>) {
    this.#files = files
    this.#folders = new Folders([...files.keys(), ...paths])
    this.#targets = new Targets({ has: path => files.has(path), paths: () => files.keys() })
    const fresh = blocks.filter(({ path }) => !files.has(path) && this.#similarTo(path).length === 0)
    this.#newFolders = new Set(fresh.map(({ path }) => firstFolder(path)).filter(folder => folder !== null))
  }

  /**
   * The block under the name of the file that differs in case alone, or of the only one whose path ends in the name, or
   * is its end, where that is what it gives a new version of. In a folder that is there, and where the reply says so,
   * it is a new file; refused where it may be either.
   */
  meant(block: FileBlock): BlockTarget {
    const { path, content } = block
    if (this.#files.has(path) || path.startsWith('@') || block.isNew === true) return { file: block }
    const similar = this.#similarTo(path)
    const means = this.#decide(block, similar)
    if (means !== null) return { file: { ...block, path: means } }
    const detail =
      `There is no file ${path}. Did you mean ${similar.join(', ')}? Write the path from the root of the project; ` +
      `for a new file, put "${path} (new file)" on the line above the fence.`
    return { problem: replyProblem('no_such_file', detail, { path, text: content.slice(0, MAX_CHARS_SHOWN) }) }
  }

  /** The file that a block means beside those with names like its own; null where it cannot be told. */
  #decide({ path, content }: FileBlock, similar: readonly string[]): string | null {
    const [only, other] = similar
    if (only === undefined) return path
    if (other === undefined && only.toLowerCase() === path.toLowerCase()) return only
    const folder = firstFolder(path)
    if (folder !== null && only.length < path.length && this.#newFolders.has(folder)) return path
    const lines = tellingLines(content)
    const isVersion = similar.some(own => likeness(lines, this.#linesOf(own)) >= SAME_FILE)
    const isInFolder = folder !== null && this.#folders.has(folder)
    if (isVersion) return isInFolder || other !== undefined ? null : only
    return isInFolder || RECURRING.test(baseName(path)) ? path : null
  }

  #linesOf(path: string): ReadonlySet<string> {
    const known = this.#lines.get(path)
    if (known !== undefined) return known
    const lines = tellingLines(this.#files.get(path) ?? '')
    this.#lines.set(path, lines)
    return lines
  }

  /** The files whose names are like this one: by case, or with more or fewer folders in front. */
  #similarTo(path: string): string[] {
    const found: Target = this.#targets.find(path)
    const all = 'path' in found ? [found.path] : found.candidates
    return all.filter(own => own.toLowerCase() === path.toLowerCase() || isBelow(own, path))
  }
}
