import type { FileBlock, Region } from '../edit.ts'
import { asideReason } from './aside.ts'
import type { Block } from './block.ts'
import { readJsonFiles } from './json-files.ts'
import { referencedName } from './referenced-name.ts'

/** A block that has no name, with what stands around it. */
export interface UnnamedBlock {
  block: Block
  lines: string[]
  /** The last line of text above it, since the block before; '' for none. */
  above: string
  /** The heading that it stands below; '' for none. */
  heading: string
}

/** What an unnamed block turns out to be: whole files, nothing for a file, or what nobody can place. */
type Meaning = { files: Array<Pick<FileBlock, 'path' | 'content' | 'named'>> } | { as: Region['as'] }

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

/**
 * What blocks without a name are, of a reply that has these files.
 *
 * @returns One for each of the blocks.
 */
export function meaningsOf(blocks: readonly UnnamedBlock[], files: readonly FileBlock[]): Meaning[] {
  const inJson = blocks.map(({ lines, above }) => {
    const isShown = asideReason({ language: 'json', lines, above, heading: '' }) !== null
    return isShown ? null : readJsonFiles(lines.join('\n'))
  })
  const reasons = blocks.map(({ block: { language }, ...rest }) => asideReason({ ...rest, language }))
  const isOnly = (at: number): boolean =>
    blocks.every((other, i) => {
      return i === at || reasons[i] !== null || other.block.language !== blocks[at]?.block.language
    })
  return blocks.map((unnamed, at) => {
    const [own, reason] = [inJson[at], reasons[at]]
    if (own) return { files: own.map(file => ({ ...file, named: 'line' })) }
    if (reason) return { as: reason }
    const path = isOnly(at) ? nameOf(unnamed, files) : null
    const content = unnamed.lines.map(line => `${line}\n`).join('')
    return path === null ? { as: 'unplaced' } : { files: [{ path, content, named: 'sentence' }] }
  })
}
