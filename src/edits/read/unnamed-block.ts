import type { FileBlock, Region, Reply, ToldDeletion } from '../edit.ts'
import { asideReason, shownBy } from './aside.ts'
import { COMMANDS } from './name-words.ts'
import { beginsWithDocument } from './shell-block.ts'
import { readShellEdits } from './shell-edits.ts'
import type { BareName } from './bare-name.ts'
import type { Block } from './block.ts'
import { readJsonEdits } from './json-edits.ts'
import { referencedName } from './referenced-name.ts'

/** A block that has no name, with what stands around it. */
export interface UnnamedBlock {
  block: Block
  lines: string[]
  /** The last line of text above it, since the block before; '' for none. */
  above: string
  /** The heading that it stands below; '' for none. */
  heading: string
  /** The word that names it where a file is called so. */
  bare: BareName | null
}

/** What an unnamed block turns out to be: edits, nothing for a file, or what nobody can place. */
export type Meaning = ({ edits: Reply } | { as: Region['as'] }) & { left?: string[]; deletions?: ToldDeletion[] }

/** Languages of files that have one name only. */
const FILE_OF_LANGUAGE: ReadonlyMap<string, string> = new Map([
  ['dockerfile', 'Dockerfile'],
  ['makefile', 'Makefile'],
])

/** The name that the language of a block gives it, or a page of the reply that asks for it. */
function nameOf({ block: { language } }: UnnamedBlock, files: readonly FileBlock[]): string | null {
  const path = FILE_OF_LANGUAGE.get(language)
  if (path === undefined) return referencedName(files, language)
  return files.some(file => file.path === path) ? null : path
}

/** What commands do to files; null for a block of no commands, or of such as change none. */
function commandsMean({ block: { language, from }, lines }: UnnamedBlock): Meaning | null {
  if (language === '' ? shownBy(lines) !== 'command' && !beginsWithDocument(lines) : !COMMANDS.has(language)) {
    return null
  }
  const read = readShellEdits(lines, from)
  if (read === null) return null
  const { edits, ...rest } = read
  if (edits !== null) return { edits, ...rest }
  return { as: rest.left.length === 0 ? 'command' : 'unplaced', ...rest }
}

/**
 * What blocks without a name are, of a reply that has these files.
 *
 * @returns One for each of the blocks.
 */
export function meaningsOf(blocks: readonly UnnamedBlock[], files: readonly FileBlock[]): Meaning[] {
  const inJson = blocks.map(({ block: { from }, lines, above }) => {
    const isShown = asideReason({ language: 'json', lines, above, heading: '' }) !== null
    return isShown ? null : readJsonEdits(lines.join('\n'), from)
  })
  const reasons = blocks.map(({ block: { language }, ...rest }) => asideReason({ ...rest, language }))
  const isOnly = (at: number): boolean =>
    blocks.every((other, i) => {
      return i === at || reasons[i] !== null || other.block.language !== blocks[at]?.block.language
    })
  return blocks.map((unnamed, at) => {
    const [own, reason] = [inJson[at], reasons[at] ?? null]
    if (own && 'files' in own) return { edits: own }
    if (own) return { as: 'aside' in own ? own.aside : 'unplaced' }
    const mayWrite = reason === null || reason === 'command' || beginsWithDocument(unnamed.lines)
    const commands = mayWrite ? commandsMean(unnamed) : null
    if (commands !== null) return commands
    if (reason) return { as: reason }
    const path = isOnly(at) ? nameOf(unnamed, files) : null
    if (path === null) return { as: 'unplaced' }
    const content = unnamed.lines.map(line => `${line}\n`).join('')
    const file: FileBlock = { path, content, named: 'sentence', line: unnamed.block.from }
    return { edits: { files: [file], diffs: [], problems: [] } }
  })
}
