import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/**
 * Content by path; `null` deletes the file, `{ executable }` is one that may be run, `{ symlink }` makes a link, `{
 * submodule }` names a commit elsewhere.
 */
export type TestFiles = Record<
  string,
  string | Buffer | null | { executable: string } | { symlink: string } | { submodule: string }
>

export interface CommitOptions {
  message?: string
  branch?: string
  /** Seconds since 1970; default one hour after the commit before it. */
  date?: number
  /**
   * Start a history of its own instead of going on from the branch's tip; this is how a force-push looks to a client.
   */
  orphan?: boolean
  /** The parent, in place of the branch's tip. */
  parent?: string
  /** A second parent; of its files only those that are given are taken. */
  merge?: string
}

export interface TestRepository {
  /** What a clone URL names: the bare repository, or the folder with the work tree. */
  dir: string
  /**
   * Commits onto a branch (default: the first one; a new branch starts at its tip) and answers the commit's id, the
   * same on every machine.
   */
  commit(files: TestFiles, options?: CommitOptions): string
  git(...args: string[]): string
}

const FIRST_DATE = 1_704_067_200 // 2024-01-01T00:00:00Z
const HOUR_S = 3_600
const AUTHOR = 'Ada Tester <ada@example.com>'

const ENV = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  LANG: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
}

function entryOf(content: string | Buffer | { executable: string } | { symlink: string }): {
  mode: string
  text: string | Buffer
} {
  if (typeof content === 'string' || Buffer.isBuffer(content)) return { mode: '100644', text: content }
  return 'symlink' in content ? { mode: '120000', text: content.symlink } : { mode: '100755', text: content.executable }
}

function importStream({
  changed,
  message,
  onto,
  date,
  parent,
  merge,
}: {
  changed: TestFiles
  message: string
  onto: string
  date: number
  parent: string | undefined
  merge: string | undefined
}): Buffer {
  const text = Buffer.from(message)
  const parts: Array<string | Buffer> = [
    ...(parent === undefined ? [`reset refs/heads/${onto}\n\n`] : []),
    `commit refs/heads/${onto}\nauthor ${AUTHOR} ${date} +0000\ncommitter ${AUTHOR} ${date} +0000\n` +
      `data ${text.length}\n`,
    text,
    '\n',
    parent === undefined ? '' : `from ${parent}\n`,
    merge === undefined ? '' : `merge ${merge}\n`,
  ]
  for (const [path, content] of Object.entries(changed)) {
    const name = `"${path.replace(/[\\"\n]/g, c => (c === '\n' ? '\\n' : `\\${c}`))}"`
    if (content === null) parts.push(`D ${name}\n`)
    else if (typeof content === 'object' && 'submodule' in content) {
      parts.push(`M 160000 ${content.submodule} ${name}\n`)
    } else {
      const { mode, text } = entryOf(content)
      const bytes = Buffer.from(text)
      parts.push(`M ${mode} inline ${name}\ndata ${bytes.length}\n`, bytes, '\n')
    }
  }
  return Buffer.concat([...parts, '\n'].map(part => Buffer.from(part)))
}

/**
 * Makes a git repository for a test: bare, or with a checked-out work tree. Each commit is one `git fast-import`, so
 * thousands of files take milliseconds.
 */
export function createGitRepository(
  dir: string,
  { files, branch = 'main', worktree = false }: { files?: TestFiles; branch?: string; worktree?: boolean } = {},
): TestRepository {
  mkdirSync(dir, { recursive: true })
  const run = (args: string[], input?: Buffer) =>
    execFileSync('git', args, { cwd: dir, env: ENV, input, maxBuffer: 1 << 28, stdio: ['pipe', 'pipe', 'pipe'] })
      .toString()
      .trim()
  run(['-c', `init.defaultBranch=${branch}`, 'init', '--quiet', '--template=', ...(worktree ? [] : ['--bare'])])
  const tips = new Map<string, string>()
  let lastDate = FIRST_DATE - HOUR_S

  const repository: TestRepository = {
    dir,
    git: (...args) => run(args),
    commit(
      changed,
      {
        message = 'Change files',
        branch: onto = branch,
        date = lastDate + HOUR_S,
        orphan = false,
        parent: given,
        merge,
      } = {},
    ) {
      lastDate = date
      const tip = tips.get(onto) ?? tips.get(branch)
      const before = given ?? tip
      const parent = orphan ? undefined : before
      run(['fast-import', '--quiet', '--force'], importStream({ changed, message, onto, date, parent, merge }))
      const commit = run(['rev-parse', `refs/heads/${onto}`])
      tips.set(onto, commit)
      if (worktree && onto === branch) run(['reset', '--quiet', '--hard'])
      return commit
    },
  }
  if (files !== undefined) repository.commit(files, { message: 'First commit' })
  return repository
}
