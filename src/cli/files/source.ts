import { existsSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { usageError } from '../cli-error.ts'
import { findRepository } from './repository-here.ts'
import type { Session } from '../session.ts'
import { count } from '../../text/table.ts'
import { needFolder } from './write-files.ts'

/** Where the code is, as the user said. */
export interface SourceOptions {
  folder?: string
  project?: string
  /** For a project with several repositories. */
  repository?: string
  job?: string
  select?: string[]
}

/** The code that a job works on: fields of its body, and the folder when they come from this machine. */
export interface Source {
  body: {
    files?: Record<string, string>
    project_name?: string
    repository?: string
    job_id?: string
    select?: string[]
  }
  local: { folder: string; sent: Map<string, string> } | null
}

async function folderSource(
  { cwd, signal, output }: Session,
  name: string,
  { select, forRun }: { select: string[] | undefined; forRun: boolean },
): Promise<Source> {
  const folder = await realpath(await needFolder(name, cwd))
  const around = findRepository(folder)
  const root = around !== null && existsSync(join(around, '.git')) ? around : folder
  const { readFolder } = await import('../../services/folder-files.ts')
  const { files, leftOut } = await readFolder(
    { root, folder: relative(root, folder).split(sep).join('/'), signal },
    { select, forRun },
  )
  const skipped = [...leftOut]
    .filter(([reason]) => reason !== 'excluded')
    .map(([reason, number]) => `${number} ${reason.replaceAll('_', ' ')}`)
    .join(', ')
  if (files.size === 0) {
    throw usageError(
      `There is no file in ${JSON.stringify(name)} to work on${skipped === '' ? '' : ` (left out: ${skipped})`}.`,
      select === undefined
        ? 'Go to the folder of the program, or name it with --folder.'
        : 'The globs of --select match none; they are relative to the folder.',
    )
  }
  output.note(
    `${count(files.size, 'file')} of ${JSON.stringify(name)}${skipped === '' ? '' : ` (left out: ${skipped})`}`,
  )
  return { body: { files: Object.fromEntries(files) }, local: { folder, sent: files } }
}

/**
 * Reads the code that a job is to work on.
 *
 * @param forRun - Whether programs are to be run from it.
 * @throws {CliError} USAGE; {FaultlineError} as `readFolder`.
 */
export async function sourceOf(
  session: Session,
  { folder, project, repository, job, select }: SourceOptions,
  { forRun }: { forRun: boolean },
): Promise<Source> {
  const named = [
    ['--folder', folder],
    ['--project', project],
    ['--job', job],
  ]
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name)
  if (named.length > 1) {
    throw usageError(
      `${named.join(' and ')} exclude each other.`,
      'Name one of them; without any the current folder is meant.',
    )
  }
  if (project === undefined && repository !== undefined) {
    throw usageError('--repository is one of a project.', 'Name the project with --project.')
  }
  if (project !== undefined) return { body: { project_name: project, repository, select }, local: null }
  if (job !== undefined) return { body: { job_id: job, select }, local: null }
  return folderSource(session, folder ?? '.', { select, forRun })
}
