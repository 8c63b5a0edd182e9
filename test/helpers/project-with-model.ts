import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { buildWithModel, type AppWithModel } from './build-with-model.ts'
import { cloneInto } from './build-app.ts'
import { createGitRepository, type TestFiles, type TestRepository } from './git-repository.ts'

export interface ProjectWithModel extends AppWithModel {
  repository: TestRepository
  /** That the project `shop` is at. */
  commit: string
  /** The server's clone. */
  gitDir: string
  /** In the server's clone. */
  git(...args: string[]): string
  /** The texts of a job's `log` events. */
  logsOf(id: string): Promise<string[]>
  /**
   * Applies a job's diff with `git apply`, and its patch with `git am`, to the commit in a real work tree; gives the
   * file's content after each.
   */
  applied(id: string, path: string): Promise<{ apply: string; am: string; message: string }>
}

const ME = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com']

/** Applies both to a fresh work tree. */
export function applyIn(
  repository: string,
  { commit, diff, patch, path }: { commit: string; diff: string; patch: string; path: string },
): { apply: string; am: string; message: string } {
  const tree = mkdtempSync(join(tmpdir(), 'faultline-tree-'))
  const git = (args: string[], input?: string) =>
    execFileSync('git', [...ME, ...args], {
      cwd: tree,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(input === undefined ? {} : { input }),
    }).toString()
  const content = () => execFileSync('cat', ['--', path], { cwd: tree }).toString()
  try {
    git(['clone', '-q', '--', repository, '.'])
    git(['checkout', '-q', commit])
    git(['apply', '--check'], diff)
    git(['apply'], diff)
    const apply = content()
    git(['reset', '-q', '--hard'])
    git(['clean', '-qfd'])
    git(['am', '-q', '--keep-cr'], patch)
    return { apply, am: content(), message: git(['log', '-1', '--format=%B']) }
  } finally {
    rmSync(tree, { recursive: true, force: true })
  }
}

/** The real app over a scripted model, with a repository that is cloned as the project `shop`. */
export async function buildProject(
  t: Test,
  files: TestFiles,
  chat: Parameters<typeof buildWithModel>[1],
  options: Parameters<typeof buildWithModel>[2] & { serve?: (reposDir: string) => Promise<string> } = {},
): Promise<ProjectWithModel> {
  const { serve, ...rest } = options
  const built = await buildWithModel(t, chat, rest)
  const repository = createGitRepository(join(built.reposDir, 'shop.git'), { files })
  const url = serve === undefined ? repository.dir : `${await serve(built.reposDir)}/shop.git`
  const { result } = await cloneInto(t, built, { url, project_name: 'shop' })
  const gitDir = join(built.root, 'cloned_repos', 'shop')
  return {
    ...built,
    repository,
    commit: result.commit,
    gitDir,
    git: (...args) =>
      execFileSync('git', [`--git-dir=${gitDir}`, ...args])
        .toString()
        .trim(),
    async logsOf(id) {
      const { data } = (await built.app.inject(`/jobs/${id}/events`)).json()
      return data
        .filter(({ event }: { event: string }) => event === 'log')
        .map(
          ({ data: said }: { data: { text?: string; message?: string } }) =>
            said.text ?? said.message ?? JSON.stringify(said),
        )
    },
    async applied(id, path) {
      const [diff, patch] = await Promise.all(
        ['diff', 'patch'].map(async kind => {
          const res = await built.app.inject(`/jobs/${id}/${kind}`)
          if (res.statusCode !== 200) throw new Error(`GET /jobs/${id}/${kind}: ${res.statusCode} ${res.body}`)
          return res.body
        }),
      )
      return applyIn(repository.dir, { commit: result.commit, diff: diff ?? '', patch: patch ?? '', path })
    },
  }
}
