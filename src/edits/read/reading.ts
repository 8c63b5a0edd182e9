import type { Perhaps, ReadReply, Region, Reply, ToldDeletion } from '../edit.ts'
import { ClosingTags } from './closing-tags.ts'
import { isHeading } from './plain-name.ts'
import type { ReplyLines } from './reply-lines.ts'
import type { CallRead } from './tool-call.ts'
import type { UnnamedBlock } from './unnamed-block.ts'

/** The account of a reply in which nothing is. */
export const emptyReply = (): ReadReply => ({
  files: [],
  diffs: [],
  problems: [],
  regions: [],
  unplaced: [],
  perhaps: [],
  notFiles: 0,
  removals: [],
  deletions: [],
  kept: [],
  prose: '',
})

/** A pass over the lines of a reply: where it is, and what was found so far. */
export class Reading {
  readonly source: ReplyLines
  readonly lines: readonly string[]
  /** In how many fences the lines stand. */
  readonly depth: number
  readonly closingTags: ClosingTags
  /** The last line that is not blank, of a reply that was cut there: what reaches it is not used. */
  readonly cutLine: number
  readonly reply = emptyReply()
  /** Blocks without a name, of which one may hold a whole reply. */
  readonly unnamed: UnnamedBlock[] = []
  /** Lines outside of blocks that belong to an edit which is not read as one. */
  readonly loose: Region[] = []
  /** The last heading. */
  heading = ''
  at = 0
  /** The first line that may name what follows. */
  floor = 0
  /** The file that was edited last by a diff. */
  lastPath: string | null = null
  /** The file of the last blocks of SEARCH and REPLACE, and the last line of these. */
  lastSearch: { path: string | null; to: number } = { path: null, to: -1 }
  /** The lines that may still be looked through for the end of a value in JSON. */
  jsonLines: number
  /** The first line of the last block that holds Markdown. */
  markdownAt = -1
  /** Whether anything looks like an edit. */
  hasMarks = false

  constructor(source: ReplyLines, depth: number, isCut: boolean) {
    this.source = source
    this.lines = source.lines
    this.depth = depth
    this.jsonLines = 4 * source.lines.length
    this.closingTags = new ClosingTags(source.lines)
    this.cutLine = isCut ? source.lines.findLastIndex(line => line.trim() !== '') : Infinity
  }

  /** Goes on at this line: nothing above it names what follows. */
  goOnAt(line: number): void {
    this.at = line
    this.floor = line
  }

  note(region: Region): void {
    // A section in which files stand is about them.
    if (region.as === 'edit') this.heading = ''
    this.reply.regions.push(region)
  }

  leaveUnplaced({ from, to }: Pick<Region, 'from' | 'to'>, lines: string[]): void {
    this.reply.unplaced.push({ line: from, lines })
    this.note({ from, to, as: 'unplaced' })
  }

  /** Leaves a block below a bare word, which is an edit where a file is called so. */
  leavePerhaps(region: Region, perhaps: Perhaps): void {
    this.reply.perhaps.push(perhaps)
    this.note(region)
  }

  take({ diffs, problems }: Pick<Reply, 'diffs' | 'problems'>): void {
    // One by one: there may be more than one call takes as arguments.
    for (const diff of diffs) this.reply.diffs.push(diff)
    for (const problem of problems) this.reply.problems.push(problem)
    const last = diffs.at(-1)
    this.lastPath = last?.newPath ?? last?.oldPath ?? this.lastPath
  }

  /** Takes the edits of a region, or the problems that it has in place of them. */
  takeEdits(region: Pick<Region, 'from' | 'to'>, { files, ...edits }: Reply): void {
    for (const file of files) this.reply.files.push(file)
    this.take(edits)
    this.note({ ...region, as: files.length + edits.diffs.length > 0 ? 'edit' : 'problem' })
  }

  takeDeletions(deletions: readonly ToldDeletion[]): void {
    for (const deletion of deletions) this.reply.deletions.push(deletion)
  }

  /** Takes what a call of a tool asks for, in these lines. */
  takeCall(region: Pick<Region, 'from' | 'to'>, call: CallRead): void {
    this.takeDeletions(call.deletions ?? [])
    if ('files' in call) this.takeEdits(region, call)
    else if ('aside' in call) this.note({ ...region, as: call.aside })
    else this.leaveUnplaced(region, this.lines.slice(region.from, region.to + 1))
  }

  /** The file of the blocks of SEARCH and REPLACE right above, with nothing but blank lines between; null for none. */
  searchPathAbove(at: number): string | null {
    const { path, to } = this.lastSearch
    return to === this.floor - 1 && this.lines.slice(to + 1, at).every(line => line.trim() === '') ? path : null
  }

  /** The nearest line of text above, since the block before. */
  textAbove(at: number): string {
    for (let above = at - 1; above >= this.floor; above--) {
      const line = this.lines[above] ?? ''
      if (line.trim() !== '') return isHeading(line) ? '' : line
    }
    return ''
  }
}
