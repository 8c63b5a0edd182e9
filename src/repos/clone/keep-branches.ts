import { readdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { runGit } from '../git/git-process.ts'
import { isRefName } from './refs.ts'

/**
 * The branches of a clone, all of which jobs committed, under names that projects choose: what is fetched lies
 * elsewhere. Read without git, which may read nothing of a damaged clone.
 */
async function branchesIn(gitDir: string): Promise<string[]> {
  const heads = join(gitDir, 'refs', 'heads')
  const entries = await readdir(heads, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries
    .filter(entry => entry.isFile())
    .map(entry => relative(heads, join(entry.parentPath, entry.name)))
  return files.filter(isRefName).sort()
}

/** Gives a clone that is about to go what git wants to see before it reads one. */
async function mendFrame(gitDir: string): Promise<void> {
  for (const [name, content] of [
    ['HEAD', 'ref: refs/heads/none\n'],
    ['config', '[core]\n\trepositoryformatversion = 0\n\tbare = true\n'],
  ] as const) {
    await rm(join(gitDir, name), { recursive: true, force: true })
    await writeFile(join(gitDir, name), content)
  }
}

/**
 * Copies the branches that jobs committed from a damaged clone into the one that takes its place: each of which git can
 * still read everything.
 *
 * @returns Their names below `refs/heads/`, and of those that cannot be read.
 */
export async function keepBranches(
  from: string,
  to: string,
  options: { searchPath: string; signal: AbortSignal },
): Promise<{ kept: string[]; lost: string[] }> {
  const branches = await branchesIn(from)
  const kept: string[] = []
  if (branches.length > 0) await mendFrame(from)
  for (const branch of branches) {
    const ref = `refs/heads/${branch}`
    // its own packs and refs only: neither the network nor another folder is looked at
    const { exitCode } = await runGit(
      ['fetch', '--quiet', '--no-tags', '--update-shallow', '--no-write-fetch-head', '--', from, `+${ref}:${ref}`],
      { gitDir: to, ...options, env: { GIT_ALLOW_PROTOCOL: 'file' } },
    )
    if (exitCode === 0) kept.push(branch)
  }
  return { kept, lost: branches.filter(branch => !kept.includes(branch)) }
}
