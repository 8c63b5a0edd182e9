import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runGit } from '../git/git-process.ts'

/** The folder to list, and the one whose rules apply. */
export interface ListFolderOptions {
  /** The folder whose `.gitignore` comes first: that of the repository around `folder`, or `folder` itself. */
  root: string
  /** Path below `root`, `/`-separated; empty for all of it. */
  folder: string
  signal?: AbortSignal
}

async function mustRun(args: readonly string[], gitDir: string, signal: AbortSignal | undefined): Promise<Buffer> {
  const { exitCode, stdout, stderr } = await runGit(args, { gitDir, signal })
  if (exitCode !== 0) throw new Error(`git could not list the folder: ${stderr}`)
  return stdout
}

/**
 * Paths, relative to `root`, of everything in a folder that no `.gitignore` excludes, tracked or not; links are listed,
 * nested repositories are not. Git sees the folder as the work tree of an empty repository of ours, so nothing that the
 * configuration of a repository there names is run.
 *
 * @throws {FaultlineError} GIT_NOT_FOUND; REPOSITORY_TOO_LARGE when the paths add up to more than 64 MiB.
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
