import { applyEdits } from '../../edits/apply/apply-edits.ts'
import type { EditProblem } from '../../edits/edit.ts'
import { withoutMention } from '../../edits/apply/mention.ts'
import { NO_EDIT, readReply } from '../../edits/read/read-reply.ts'
import { unifiedDiff } from '../../edits/write/unified-diff.ts'
import type { Answer } from '../../core/resolution.ts'

/** Reads a file's text at the answer's commit; null when it does not exist there or is not text. */
type ReadFile = (path: string) => Promise<string | null>

/** The files that a patch is checked against. */
interface PatchSource {
  read: ReadFile
  /** Files that the model was shown; names that the reply shortens are looked up among them. */
  paths: readonly string[]
  /** The reply was cut off at its end: what stands there may lack lines, and is no patch. */
  isCut?: boolean
}

/** A reply that names more files than this is no fix for one error. */
const MAX_FILES = 50

/** How lines of diffs begin. A problem with any other text says nothing about a patch. */
const MARKS = /^(?:[+-]|@@|diff --git |\*\*\* Begin Patch)/m

const isOfDiff = ({ hunkText, detail }: EditProblem): boolean => detail !== NO_EDIT && MARKS.test(hunkText)

const rejected = (why: string): Pick<Answer, 'patch' | 'patchStatus'> => ({
  patch: null,
  patchStatus: `rejected: ${why}`,
})

function describe({ path, hunk, detail }: Pick<EditProblem, 'path' | 'hunk' | 'detail'>): string {
  const file = path ?? 'the reply'
  return hunk === null ? `${file}: ${detail}` : `${file}, hunk ${hunk}: ${detail}`
}

/** Whether one path is the end of the other: a name may lack folders or have some too many. */
const isEnd = (path: string, name: string): boolean =>
  path.toLowerCase() === name.toLowerCase() || path.endsWith(`/${name}`) || name.endsWith(`/${path}`)

/**
 * The patch that a reply proposes, checked against the files of the commit that was read and written anew, so that `git
 * apply` accepts it there: all of its hunks or none. Whole files in the reply are not taken as a patch, because an
 * answer shows code for many reasons.
 */
export async function readPatch(
  text: string,
  { read, paths, isCut = false }: PatchSource,
): Promise<Pick<Answer, 'patch' | 'patchStatus'>> {
  const reply = readReply(text, { isCut })
  if (reply.diffs.length === 0) {
    const problem = reply.problems.find(isOfDiff)
    return problem === undefined ? { patch: null, patchStatus: 'none' } : rejected(describe({ ...problem, hunk: null }))
  }
  const files = new Map<string, string>()
  const named = reply.diffs.flatMap(({ oldPath, newPath }) =>
    [oldPath, newPath].filter(path => path !== null).flatMap(path => [path, withoutMention(path) ?? path]),
  )
  // A file that is to be made is known by its folder.
  const folders = new Set(named.filter(name => name.includes('/')).map(name => name.slice(0, name.indexOf('/') + 1)))
  const beside = [...folders]
    .map(folder => paths.find(path => path.startsWith(folder)))
    .filter(path => path !== undefined)
  // A name may lack its first folders, or carry a prefix too many.
  const wanted = new Set([
    ...named,
    ...named.filter(path => /^[ab]\//.test(path)).map(path => path.slice(2)),
    ...beside,
    ...paths.filter(path => named.some(name => isEnd(path, name))),
  ])
  if (wanted.size > MAX_FILES) return rejected(`the diff names more than ${MAX_FILES} files`)
  await Promise.all(
    [...wanted].map(async path => {
      const content = await read(path)
      if (content !== null) files.set(path, content)
    }),
  )
  const {
    changed,
    deleted,
    rejected: problems,
  } = applyEdits(files, { files: [], diffs: reply.diffs, problems: reply.problems.filter(isOfDiff) })
  const [problem] = problems
  if (problem !== undefined) return rejected(describe(problem))
  const patch = unifiedDiff(
    files,
    new Map<string, string | null>([...changed, ...deleted.map(path => [path, null] as const)]),
  )
  return patch === ''
    ? rejected('the diff changes nothing: what it asks for is in the code already')
    : { patch, patchStatus: 'applies' }
}
