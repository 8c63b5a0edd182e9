import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'
import { createCommitReader } from '../../../src/repos/objects/commit-reader.ts'
import { createGitRepository, type TestFiles } from '../../helpers/git-repository.ts'
import { testRepos } from '../test-repos.ts'

export const signal = new AbortController().signal

export const DATE = 1_750_000_000

export const BRANCH = 'faultline/job'

export const FILES: TestFiles = {
  'a.py': 'one\ntwo\n',
  'my folder/with space.txt': 'x\n',
  'ünï/日本.txt': 'x\n',
  '-rf': 'dash\n',
  'say "hi".txt': 'quoted\n',
  'run.sh': { executable: '#!/bin/sh\necho hi\n' },
  link: { symlink: 'a.py' },
  'linked-folder': { symlink: 'my folder' },
  module: { submodule: '1'.repeat(40) },
  'logo.png': Buffer.from([0x89, 0x50, 0, 1, 2]),
}

export async function setup(
  t: Test,
  { files = FILES, gitTokens = new Map<string, string>() }: { files?: TestFiles; gitTokens?: Map<string, string> } = {},
) {
  const { root, remotes, clones, repos } = testRepos(t, { allowPrivateHosts: true, gitTokens })
  const remote = createGitRepository(join(remotes, 'shop.git'), { files })
  const sync = (url = remote.dir, projectName = 'shop') =>
    repos.sync({ url, projectName }, { signal, onProgress: () => {} })
  const { commit: base, gitDir } = await sync()
  const commitTo = (
    changed: Record<string, string | null>,
    { branch = BRANCH, ...more }: { branch?: string; base?: string; projectName?: string; message?: string } = {},
  ) =>
    repos.commitFiles(
      {
        repository: 'shop',
        projectName: 'shop',
        base,
        branch,
        files: changed,
        message: 'Change\n',
        date: DATE,
        ...more,
      },
      signal,
    )
  return {
    root,
    clones,
    remote,
    repos,
    reader: createCommitReader({ clonedReposDir: clones }),
    sync,
    base,
    gitDir,
    commitTo,
  }
}

export const git = (gitDir: string, ...args: string[]) =>
  execFileSync('git', [`--git-dir=${gitDir}`, ...args]).toString()

export const fileAt = (gitDir: string, commit: string, path: string) => git(gitDir, 'show', `${commit}:${path}`)

export const modesAt = (gitDir: string, commit: string) =>
  new Map(
    git(gitDir, 'ls-tree', '-r', '-z', commit)
      .split('\0')
      .filter(Boolean)
      .map(line => [line.slice(line.indexOf('\t') + 1), line.slice(0, 6)]),
  )
