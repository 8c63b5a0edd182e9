import { spawnSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** A page of the documentation, by its path in the checkout. */
export interface DocPage {
  path: string
  text: string
}

/** A block between fences. */
interface DocBlock {
  language: string
  text: string
  /** Line of the page where its text begins, from 1. */
  line: number
}

/** One command, as a reader would copy it; it may go over several lines. */
interface DocCommand {
  text: string
  line: number
}

/** Blocks of these languages are typed into a shell. */
const SHELL: ReadonlySet<string> = new Set(['sh', 'bash'])
/** Blocks of these hold nothing that is typed. */
const OTHERS: ReadonlySet<string> = new Set(['text', 'json', 'yaml', 'dotenv', 'nginx', 'diff', 'ts'])

/** The README and every page of docs/. */
export function docPages(): DocPage[] {
  const paths = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT }).sort()]
  return paths.map(path => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
}

/**
 * The blocks of a page.
 *
 * @throws {Error} for a block whose language is none of those that are known, so that no command hides in it, and for
 * code that is set by blanks alone.
 */
export function blocksOf({ path, text }: DocPage): DocBlock[] {
  const blocks: DocBlock[] = []
  let open: DocBlock | null = null
  for (const [index, line] of text.split('\n').entries()) {
    const [, fence, language = ''] = /^ *(```+)(.*)$/.exec(line) ?? []
    if (fence === undefined) {
      if (open !== null) open.text += `${line}\n`
      else if (/^ {4}(?:\$ )?(?:node|npm|npx|curl|git|faultline|docker) /.test(line)) {
        throw new Error(`${path}:${index + 1}: a command stands outside of a block`)
      }
    } else if (open === null) {
      if (!SHELL.has(language) && !OTHERS.has(language)) {
        throw new Error(`${path}:${index + 1}: a block of ${JSON.stringify(language)} is unknown`)
      }
      open = { language, text: '', line: index + 2 }
    } else {
      blocks.push(open)
      open = null
    }
  }
  if (open !== null) throw new Error(`${path}: a block has no end`)
  return blocks
}

/** Whether it is a file to be saved, not lines to be typed. */
export const isScript = ({ text }: DocBlock): boolean => text.startsWith('#!')

const read = new Map<string, boolean>()

/** Whether the shell reads the text as commands; asked once for each, since each page is read by several tests. */
function isRead(text: string): boolean {
  const isKnown = read.get(text) ?? spawnSync('bash', ['-n'], { input: `${text}\n` }).status === 0
  read.set(text, isKnown)
  return isKnown
}

/** Whether the shell would wait for more lines. */
const isOpen = (text: string): boolean => /\\$/.test(text) || !isRead(text)

/**
 * The commands of a block, as a shell reads them: what is open at the end of a line goes on in the next.
 *
 * @throws {Error} for text that is no command.
 */
export function commandsOf(block: DocBlock): DocCommand[] {
  const commands: DocCommand[] = []
  let lines: string[] = []
  for (const [index, line] of block.text.split('\n').entries()) {
    if (lines.length === 0 && /^\s*(?:#.*)?$/.test(line)) continue
    lines.push(line)
    const text = lines.join('\n')
    if (isOpen(text)) continue
    commands.push({ text, line: block.line + index + 1 - lines.length })
    lines = []
  }
  if (lines.length > 0) throw new Error(`the shell does not read this: ${lines.join('\n')}`)
  return commands
}

/** The commands of a page, in its order. */
export function pageCommands(page: DocPage): DocCommand[] {
  return blocksOf(page)
    .filter(block => SHELL.has(block.language) && !isScript(block))
    .flatMap(commandsOf)
}
