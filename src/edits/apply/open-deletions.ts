import { replyProblem, type EditProblem, type Reply, type ToldDeletion } from '../edit.ts'

const detailOf = (path: string): string =>
  `The reply says that ${path} is to be deleted or to have another name, and no edit does so. ` +
  'Send a diff of it that ends with "+++ /dev/null", or one that renames it.'

/** The only file that a name means; null for none, or for several. */
function meantBy(name: string, files: ReadonlyMap<string, string>): string | null {
  if (files.has(name)) return name
  const [path, other] = [...files.keys()].filter(own => own.endsWith(`/${name}`))
  return path === undefined || other !== undefined ? null : path
}

/** The problems of files that the prose of a reply says are to go, and that are there still, as nothing edits them. */
export function openDeletions(
  told: readonly ToldDeletion[] = [],
  { files, reply, deleted }: { files: ReadonlyMap<string, string>; reply: Reply; deleted: readonly string[] },
): EditProblem[] {
  if (told.length === 0) return []
  const edited = new Set([
    ...deleted,
    ...reply.files.map(({ path }) => path),
    ...reply.diffs.flatMap(({ oldPath, newPath }) => [oldPath, newPath]),
  ])
  const problems = new Map<string, EditProblem>()
  for (const { path: name, text } of told) {
    const path = meantBy(name, files)
    if (path === null || edited.has(path) || problems.has(path)) continue
    problems.set(path, replyProblem('malformed', detailOf(path), { path, text }))
  }
  return [...problems.values()]
}
