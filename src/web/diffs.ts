import { lineShown } from './excerpts.ts'
import { diffLines, type DiffLine } from '../text/diff-lines.ts'
import type { Services } from '../services/services.ts'
import { trusted } from './html.ts'
import type { DiffFile, DiffRow } from './parts/diff.ts'

/** A diff that is longer is cut: whoever wants more downloads it. */
const MAX_LINES = 1_500

const NO_FILE = '/dev/null'

/** The name in a header of a file, without what git sets before it. */
const nameIn = (line: string): string => (line.slice(4).split('\t', 1)[0] ?? '').replace(/^[ab]\//, '')

interface FileLines {
  path: string
  lines: DiffLine[]
}

/** The hunks of each file; a file that is only renamed, or binary, has none. */
function byFile(lines: readonly DiffLine[]): FileLines[] {
  const files: FileLines[] = []
  let isHead = false
  for (const one of lines) {
    const { kind, line } = one
    if (kind === 'file' && !isHead) files.push({ path: line.replace(/^diff (?:--git )?/, ''), lines: [] })
    if (kind === 'file' || kind === 'hunk') isHead = kind === 'file'
    const file = files.at(-1)
    if (file === undefined) continue
    if (kind === 'file') {
      const name = line.startsWith('diff ') ? NO_FILE : nameIn(line)
      if (name !== NO_FILE && line !== '') file.path = name
    } else if (kind !== 'other' || !isHead) file.lines.push(one)
  }
  return files
}

type Side = 'oldLine' | 'newLine'

/** Runs of lines of one side, which are coloured together, as a string may go over several. */
function sidesOf({ lines }: FileLines, side: Side): DiffLine[][] {
  const runs: DiffLine[][] = []
  for (const line of lines) {
    if (line.kind === 'hunk') runs.push([])
    else if (line[side] !== null) runs.at(-1)?.push(line)
  }
  return runs.filter(run => run.length > 0)
}

/**
 * The files of a unified diff, each with its lines, coloured where the language is known.
 *
 * @returns `isCut`: there is more of it than a page takes.
 */
export async function readDiff(
  diff: string,
  { highlight }: Pick<Services, 'highlight'>,
): Promise<{ files: DiffFile[]; isCut: boolean }> {
  const all = diff.trim() === '' ? [] : diffLines(diff)
  const files = byFile(all.slice(0, MAX_LINES))
  const runs = files.flatMap(file =>
    (['oldLine', 'newLine'] as const).flatMap(side => sidesOf(file, side).map(lines => ({ path: file.path, lines }))),
  )
  const coloured = await highlight(
    runs.map(({ path, lines }) => ({ path, text: lines.map(({ line }) => lineShown(line.slice(1))).join('\n') })),
  )
  const markup = new Map<DiffLine, string>()
  runs.forEach(({ lines }, run) => {
    coloured[run]?.forEach((text, at) => {
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
  return { files: files.map(({ path, lines }) => ({ path, rows: lines.map(rowOf) })), isCut: all.length > MAX_LINES }
}
