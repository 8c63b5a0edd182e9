import { deletionProblem, type EditProblem, type ReadReply, type Reply } from '../edit.ts'

/** The only file that a name means; null for none, or for several. */
function meantBy(name: string, files: ReadonlyMap<string, string>): string | null {
  if (files.has(name)) return name
  const [path, other] = [...files.keys()].filter(own => own.endsWith(`/${name}`))
  return path === undefined || other !== undefined ? null : path
}

/** The problems of files that a reply says are to go, and that are there still, as nothing edits them. */
export function openDeletions(
  { deletions: told = [], kept = [] }: Partial<Pick<ReadReply, 'deletions' | 'kept'>>,
  { files, reply, deleted }: { files: ReadonlyMap<string, string>; reply: Reply; deleted: readonly string[] },
): EditProblem[] {
  if (told.length === 0) return []
  const edited = new Set([
    ...kept.flatMap(name => meantBy(name, files) ?? []),
    ...deleted,
    ...reply.files.map(({ path }) => path),
    ...reply.diffs.flatMap(({ oldPath, newPath }) => [oldPath, newPath]),
  ])
  const problems = new Map<string, EditProblem>()
  for (const { path: name, text } of told) {
    const path = meantBy(name, files)
    if (path === null || edited.has(path) || problems.has(path)) continue
    problems.set(path, deletionProblem(path, text))
  }
  return [...problems.values()]
}
