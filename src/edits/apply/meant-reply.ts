import type { EditProblem, FileBlock, FileDiff, Perhaps, ReadReply, Reply, Unplaced } from '../edit.ts'
import { BlockTargets, tellingLines } from './block-target.ts'
import { TooMuchWork, type Work } from './line-index.ts'
import { replyProblem } from '../edit.ts'
import { meantContent } from './meant-content.ts'
import { SearchTargets } from './search-target.ts'

/** A reply each of whose edits names the file that it means. */
interface MeantReply extends Reply {
  unplaced: Unplaced[]
}

/** What the names of a reply are looked up in. */
interface Known {
  files: ReadonlyMap<string, string>
  /** All that is there, where `files` are not all of it. */
  paths?: Iterable<string>
  work: Work
}

const TOO_MUCH = 'The files of this block take too much looking for. Put the name of the file on the line above.'

/** Whether a block and a file share half of the lines of the longer one: the block is no quote of a few lines. */
function isVersionOf(content: string, before: string): boolean {
  const [own, other] = [tellingLines(content), tellingLines(before)]
  return [...own].filter(line => other.has(line)).length * 2 >= Math.max(own.size, other.size, 1)
}

/** The block under the name of the only file that is called so; null where there is none. */
function calledSo({ file, isDoubtful }: Perhaps, files: ReadonlyMap<string, string>): FileBlock | null {
  const { path: name, content } = file
  const [path, other] = files.has(name) ? [name] : [...files.keys()].filter(own => own.endsWith(`/${name}`))
  if (path === undefined || other !== undefined) return null
  if (isDoubtful && !isVersionOf(content, files.get(path) ?? '')) return null
  return { ...file, path }
}

const isUnnamed = ({ oldPath, newPath }: FileDiff): boolean => oldPath === null && newPath === null

/**
 * A reply under the names of the files that are there: blocks by case and by the end of the path, blocks of SEARCH
 * without a name by their text, blocks below a bare word where a file is called so. What may mean several is a problem.
 */
export function meantReply(
  reply: Reply & Partial<Pick<ReadReply, 'unplaced' | 'perhaps'>>,
  { files, paths = [], work }: Known,
): MeantReply {
  const problems: EditProblem[] = [...reply.problems]
  const unplaced = [...(reply.unplaced ?? [])]
  const named: FileBlock[] = [...reply.files]
  for (const perhaps of reply.perhaps ?? []) {
    const file = calledSo(perhaps, files)
    if (file !== null) named.push(file)
    else if (perhaps.otherwise !== null) unplaced.push(perhaps.otherwise)
  }
  const targets = new BlockTargets(files, named, paths)
  const blocks = named.map(file => targets.meant(file))
  const search = new SearchTargets(files, work)
  const diffs = reply.diffs.map(diff => {
    if (!isUnnamed(diff)) return { diff }
    try {
      return search.meant(diff)
    } catch (error) {
      if (!(error instanceof TooMuchWork)) throw error
      return { problem: replyProblem('malformed', TOO_MUCH) }
    }
  })
  const contents = blocks.map(meant => ('file' in meant ? meantContent(meant.file, files.get(meant.file.path)) : meant))
  for (const meant of [...contents, ...diffs]) if ('problem' in meant) problems.push(meant.problem)
  return {
    files: contents.flatMap(meant => ('file' in meant ? [meant.file] : [])),
    diffs: [...diffs, ...contents].flatMap(meant => ('diff' in meant ? [meant.diff] : [])),
    problems,
    unplaced,
  }
}
