import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGit } from '../git/git-process.ts'

export interface ListFolderOptions {
  /** The folder whose `.gitignore` counts first: that of the repository around `folder`, or `folder` itself. */
  root: string
  /** Below `root`, `/`-separated; empty for all of it. */
  folder: string
  signal?: AbortSignal
}

async function mustRun(args: readonly string[], gitDir: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await runGit(args, { gitDir, signal })
  if (exitCode !== 0) throw new Error(`git could not list the folder: ${stderr}`)
  return stdout
}

/**
 * Paths, relative to `root`, of what lies in a folder and no `.gitignore` leaves out, tracked or not; links are listed,
 * repositories inside it are not. Git looks at the folder as the work tree of an empty repository of ours, so nothing
 * that the configuration of one there names is run.
 *
 * @throws {FaultlineError} GIT_NOT_FOUND; REPOSITORY_TOO_LARGE when the paths come to more than 64 MiB.
 */
export async function listFolder({ root, folder, signal }: ListFolderOptions): Promise<string[]> {
  const gitDir = await mkdtemp(join(tmpdir(), 'faultline-list-'))
  try {
    await mustRun(['init', '--bare', '--quiet', '--template='], gitDir, signal)
    const stdout = await mustRun(
      [
        `--work-tree=${root}`,
        'ls-files',
        '-z',
        '--others',
        '--exclude-standard',
        ...(folder === '' ? [] : ['--', `:(top,literal)${folder}`]),
      ],
      gitDir,
      signal,
    )
    return stdout
      .toString()
      .split('\0')
      .filter(path => path !== '' && !path.endsWith('/'))
  } finally {
    await rm(gitDir, { recursive: true, force: true })
  }
}
