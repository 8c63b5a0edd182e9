import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Test } from 'tap'
import type { Repos, SyncedRepository } from '../../../src/repos/repos.ts'
import { createGitRepository, type TestFiles, type TestRepository } from '../../helpers/git-repository.ts'
import { testRepos } from '../test-repos.ts'

/** What a clone holds of a work tree. */
interface Screen extends SyncedRepository {
  /** By path: content of files, `mode content` of what is no plain file. */
  files: Record<string, string>
}

const show = (gitDir: string, ...args: string[]): string =>
  execFileSync('git', [`--git-dir=${gitDir}`, ...args], { maxBuffer: 1 << 28 }).toString()

function filesOf({ gitDir, commit, uncommitted }: SyncedRepository): Record<string, string> {
  const records = show(gitDir, 'ls-tree', '-r', '-z', uncommitted?.commit ?? commit)
    .split('\0')
    .slice(0, -1)
  return Object.fromEntries(
    records.map(record => {
      const [, mode = '', type = '', id = '', path = ''] = /^(\d+) (\w+) (\w+)\t([^]*)$/.exec(record) ?? []
      const content = type === 'blob' ? show(gitDir, 'cat-file', 'blob', id) : id
      return [path, mode === '100644' ? content : `${mode} ${content}`]
    }),
  )
}

/** Everything below a folder with its content, to see that nothing of it was touched. */
export function stateOf(folder: string): string {
  const hash = createHash('sha256')
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).sort((a, b) =>
    join(a.parentPath, a.name) < join(b.parentPath, b.name) ? -1 : 1,
  )) {
    const path = join(entry.parentPath, entry.name)
    hash.update(`${path}\0`)
    if (entry.isFile()) hash.update(readFileSync(path))
  }
  return hash.digest('hex')
}

/** A repository with a work tree, and clones that read it with what is not committed there. */
export function setup(
  t: Test,
  files?: TestFiles,
): {
  remote: TestRepository
  clones: string
  look: (dir?: string) => Promise<Screen>
  /** Makes another repository that can be looked at. */
  create: (name: string, files: TestFiles) => TestRepository
  sync: Repos['sync']
  release: Repos['release']
} {
  const { remotes, clones, repos } = testRepos(t)
  const remote = createGitRepository(join(remotes, 'shop'), { files, worktree: true })
  return {
    remote,
    clones,
    sync: repos.sync,
    release: repos.release,
    create: (name, more) => createGitRepository(join(remotes, name), { files: more, worktree: true }),
    async look(dir = remote.dir) {
      const synced = await repos.sync(
        { url: dir, projectName: basename(dir), uncommitted: true },
        { signal: new AbortController().signal, onProgress: () => {} },
      )
      return { ...synced, files: filesOf(synced) }
    },
  }
}
