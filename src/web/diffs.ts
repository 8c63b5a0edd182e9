import { readGitNames, unquoted } from '../core/git-names.ts'
import type { Services } from '../services/services.ts'
import { diffLines, type DiffLine } from '../text/diff-lines.ts'
import { lineShown } from './excerpts.ts'
import { trusted } from './html.ts'
import type { DiffFile, DiffPage, DiffRow } from './parts/diff.ts'

/** A diff that is longer is cut where it has no pages. */
const MAX_LINES = 1_500
/** What a page of a diff may weigh as markup, in bytes; beside it a job has its log. */
const PAGE_BYTES = 80_000
/** What a line weighs: its cells, and its text with its colours. */
const weightOf = ({ line }: DiffLine): number => 160 + 4 * lineShown(line).length

/** What the head of a file says that no line of it does. */
const NOTE = /^(?:new file|deleted file|old mode|new mode|rename|copy|Binary files)\b/

/** A name without the quotes of git and without what git sets before it. */
const plainName = (name: string): string =>
  (name.startsWith('"') ? unquoted(name.slice(1, -1)) : name).replace(/^[ab]\//, '')

/** The name in a header of a file; null where it has none. */
function nameIn(line: string): string | null {
  if (line.startsWith('diff ')) {
    const names = line.startsWith('diff --git ') ? readGitNames(line) : null
    return names === null ? null : plainName(names.new)
  }
  const name = line.slice(4).split('\t', 1)[0] ?? ''
  return name === '' || name === '/dev/null' ? null : plainName(name)
}

interface FileLines {
  path: string
  lines: DiffLine[]
}

/** Each file with its hunks, and with what is done to it beside its lines: an empty one has nothing else. */
function byFile(lines: readonly DiffLine[]): FileLines[] {
  const files: FileLines[] = []
  let isHead = false
  for (const one of lines) {
    const { kind, line } = one
    const begins = kind === 'file' && (!isHead || line.startsWith('diff '))
    if (begins) files.push({ path: line.replace(/^diff (?:--git )?/, ''), lines: [] })
    if (kind === 'file' || kind === 'hunk') isHead = kind === 'file'
    const file = files.at(-1)
    if (file === undefined) continue
    if (kind === 'file') file.path = nameIn(line) ?? file.path
    else if (kind !== 'other' || !isHead || NOTE.test(line)) file.lines.push(one)
  }
  return files
}

/** The same in pages that weigh about as much as each other; a file may go on on the next one. */
function pagesOf(files: readonly FileLines[]): FileLines[][] {
  let page: FileLines[] = []
  const pages = [page]
  let weight = 0
  for (const { path, lines } of files) {
    let file: FileLines = { path, lines: [] }
    page.push(file)
    for (const line of lines) {
      if (weight > 0 && weight + weightOf(line) > PAGE_BYTES) {
        if (file.lines.length === 0) page.pop()
        file = { path, lines: [] }
        page = [file]
        pages.push(page)
        weight = 0
      }
      file.lines.push(line)
      weight += weightOf(line)
    }
  }
  return pages
}

type Side = 'oldLine' | 'newLine'

/** Runs of lines of one side, which are coloured together, as a string may go over several. */
function sidesOf({ lines }: FileLines, side: Side): DiffLine[][] {
  const runs: DiffLine[][] = [[]] // a page may begin within a hunk
  for (const line of lines) {
    if (line.kind === 'hunk') runs.push([])
    else if (line[side] !== null) runs.at(-1)?.push(line)
  }
  return runs.filter(run => run.length > 0)
}

type Colours = Pick<Services, 'highlight'>

const linesOf = (diff: string): DiffLine[] => (diff.trim() === '' ? [] : diffLines(diff))

async function coloured(files: readonly FileLines[], { highlight }: Colours): Promise<DiffFile[]> {
  const runs = files.flatMap(file =>
    (['oldLine', 'newLine'] as const).flatMap(side => sidesOf(file, side).map(lines => ({ path: file.path, lines }))),
  )
  const texts = await highlight(
    runs.map(({ path, lines }) => ({ path, text: lines.map(({ line }) => lineShown(line.slice(1))).join('\n') })),
  )
  const markup = new Map<DiffLine, string>()
  runs.forEach(({ lines }, run) => {
    texts[run]?.forEach((text, at) => {
      const line = lines[at]
      if (line !== undefined) markup.set(line, text)
    })
  })
  function rowOf(one: DiffLine): DiffRow {
    const { oldLine, newLine, line } = one
    const isCode = oldLine !== null || newLine !== null
    const text = markup.get(one)
    if (text !== undefined) return { ...one, text: trusted(text) }
    return { ...one, text: lineShown(isCode ? line.slice(1) : line) }
  }
  return files.map(({ path, lines }) => ({ path, rows: lines.map(rowOf) }))
}

/**
 * The files of a unified diff, each with its lines, coloured where the language is known.
 *
 * @returns `isCut`: there is more of it than is shown.
 */
export async function readDiff(diff: string, colours: Colours): Promise<{ files: DiffFile[]; isCut: boolean }> {
  const lines = linesOf(diff)
  return { files: await coloured(byFile(lines.slice(0, MAX_LINES)), colours), isCut: lines.length > MAX_LINES }
}

/** The same, a page of it: from 1, the last one for a number above. */
export async function readDiffPage(diff: string, page: number, colours: Colours): Promise<DiffPage> {
  const pages = pagesOf(byFile(linesOf(diff)))
  const shown = Math.min(page, pages.length)
  return { files: await coloured(pages[shown - 1] ?? [], colours), page: shown, pages: pages.length }
}
