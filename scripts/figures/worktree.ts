import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A commit of a repository, checked out in a temporary folder until it is disposed of. */
interface Worktree extends Disposable {
  folder: string
}

/** Checks a commit out beside a repository. Throws when the repository does not have the commit. */
export function checkOut(repository: string, commit: string): Worktree {
  const parent = mkdtempSync(join(tmpdir(), 'faultline-figures-'))
  const folder = join(parent, 'worktree')
  const git = (...args: string[]): void => {
    execFileSync('git', args, { cwd: repository, stdio: ['ignore', 'ignore', 'pipe'] })
  }
  const remove = (): void => rmSync(parent, { recursive: true, force: true })
  try {
    git('worktree', 'add', '--detach', folder, commit)
  } catch (error) {
    remove()
    throw error
  }
  return {
    folder,
    [Symbol.dispose]() {
      git('worktree', 'remove', '--force', folder)
      remove()
    },
  }
}
