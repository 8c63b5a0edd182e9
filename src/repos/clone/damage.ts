import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { runGit } from '../git/git-process.ts'
import { LocalGitError } from './local-git.ts'

const MARK = 'faultline-damaged'

/**
 * Records in a clone that it could not be read, unless the error says something else: the next sync then fetches all of
 * it again.
 */
export async function noteDamage(gitDir: string, error: unknown): Promise<void> {
  if (!(error instanceof FaultlineError) || error.code !== 'REPOSITORY_CORRUPT') return
  // the clone is gone, or its disk is: the error that led here tells more
  await writeFile(join(gitDir, MARK), '').catch(() => {})
}

/** Errors that git gives for a damaged clone as well as for a damaged or missing remote. */
const AMBIGUOUS: ReadonlySet<string> = new Set([
  'REPOSITORY_CORRUPT',
  'REPOSITORY_NOT_FOUND',
  'REF_NOT_FOUND',
  'BRANCH_NOT_FOUND',
])

/**
 * Whether an update failed because of the clone that it was to update. Git looks at every object where the error does
 * not tell.
 */
export async function isToBlame(
  gitDir: string,
  error: unknown,
  options: { searchPath: string; signal: AbortSignal },
): Promise<boolean> {
  if (options.signal.aborted) return false
  if (error instanceof LocalGitError) return true
  if (error instanceof FaultlineError && error.code === 'CLONE_FAILED') return true // none of what remotes do wrong
  if (error instanceof FaultlineError && !AMBIGUOUS.has(error.code)) return false
  const { exitCode } = await runGit(['fsck', '--connectivity-only', '--no-dangling', '--no-progress'], {
    gitDir,
    ...options,
  })
  return exitCode !== 0
}

function noFiles(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return []
  throw error
}

/**
 * Whether a clone was found unreadable, or has no whole pack. Reads the names in two folders; a lost blob shows only
 * when it is read.
 */
export async function isDamaged(gitDir: string): Promise<boolean> {
  if ((await readdir(gitDir)).includes(MARK)) return true
  const files = new Set(await readdir(join(gitDir, 'objects', 'pack')).catch(noFiles))
  const packs = [...files].filter(name => name.endsWith('.pack'))
  const indexes = [...files].filter(name => name.endsWith('.idx'))
  return (
    packs.length === 0 ||
    indexes.some(name => !files.has(name.replace(/\.idx$/, '.pack'))) ||
    packs.some(name => !files.has(name.replace(/\.pack$/, '.idx')))
  )
}
