import { confirm, canAsk } from '../ask.ts'
import type { Backend } from '../backend/backend.ts'
import { CliError } from '../cli-error.ts'
import { listed } from '../../text/listed.ts'
import type { Session } from '../session.ts'
import { count } from '../../text/table.ts'
import { differing, writeFiles, type FileChange } from './write-files.ts'

/** A folder to write a job's files into. */
interface OutputFolder {
  folder: string
  /** The folder as the user wrote it. */
  name: string
  /** Whether to overwrite what differs without asking. */
  force: boolean
}

async function mustOverwrite(session: Session, id: string, paths: readonly string[], name: string): Promise<void> {
  const differ = paths.length === 1 ? 'differs' : 'differ'
  const files = `${count(paths.length, 'file')} in ${JSON.stringify(name)}`
  const what = `${files} ${differ} from what was made: ${listed(paths)}`
  if (canAsk(session) && (await confirm(session, `${what}. Overwrite?`))) return
  throw new CliError('FILES_DIFFER', `${what}. Nothing was written.`, {
    fix: `"faultline jobs files ${id} --output <another folder>" writes them elsewhere; --force overwrites.`,
  })
}

/**
 * Writes files of a job into a folder. Existing files that differ are overwritten only after the person agreed.
 *
 * @throws {CliError} FILES_DIFFER: nothing was written.
 */
export async function writeJobFiles(
  session: Session,
  backend: Backend,
  id: string,
  paths: readonly string[],
  { folder, name, force }: OutputFolder,
): Promise<void> {
  const files: FileChange[] = []
  for (const path of paths) files.push({ path, content: await backend.readJobFile(id, path) })
  const absent = new Set(await differing(folder, new Map(paths.map(path => [path, null]))))
  const others = await differing(
    folder,
    new Map(files.filter(({ path }) => absent.has(path)).map(({ path, content }) => [path, content])),
  )
  if (others.length > 0 && !force) await mustOverwrite(session, id, others, name)
  await writeFiles(folder, files)
}

/**
 * Writes what a job made of files that were sent to it into the folder they came from.
 *
 * @param sent - Texts by path, as they were sent.
 * @throws {CliError} FILES_CHANGED when files changed after they were sent: nothing was written.
 */
export async function writeChanges(
  backend: Backend,
  {
    folder,
    sent,
    id,
    files,
    deleted,
  }: {
    folder: string
    sent: ReadonlyMap<string, string>
    id: string
    files: ReadonlyArray<{ path: string }>
    deleted: readonly string[]
  },
): Promise<void> {
  const changes: FileChange[] = deleted.map(path => ({ path, content: null }))
  for (const { path } of files) changes.push({ path, content: await backend.readJobFile(id, path) })
  const expected = new Map(
    changes.map(({ path }) => {
      const content = sent.get(path)
      return [path, content === undefined ? null : Buffer.from(content)]
    }),
  )
  const others = await differing(folder, expected)
  if (others.length > 0) {
    const are = others.length === 1 ? 'is' : 'are'
    throw new CliError(
      'FILES_CHANGED',
      `${count(others.length, 'file')} ${are} not as sent to the job: ${listed(others)}. Nothing was written.`,
      { fix: `"faultline jobs diff ${id} | git apply" applies the changes to what is there now.` },
    )
  }
  await writeFiles(folder, changes)
}
