import { randomUUID } from 'node:crypto'
import { copyFile, lstat, mkdir, readdir, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { FaultlineError } from '../../core/errors.ts'
import { diskFull } from '../clone/disk-space.ts'
import { runGit, type GitOutcome } from '../git/git-process.ts'

/** Where git keeps what belongs to a work tree; two folders for one that `git worktree add` made. */
export interface WorkTreeSource {
  workTree: string
  gitDir: string
  commonDir: string
}

/** The work tree, the clone that gets its files, and the commit that they are compared with. */
interface WorkViewOptions {
  source: WorkTreeSource
  cloneDir: string
  base: string
  /** Where the view is made, and removed from at the next start if this process is killed. */
  folder: string
  searchPath: string
  signal: AbortSignal
}

/** A work tree as git sees it through a git directory of ours. */
export interface WorkView {
  /** How files are read: what the repository says of line ends and modes. */
  settings: string
  run(args: readonly string[], input?: Uint8Array): Promise<GitOutcome>
  /** The same with an index of its own in place of the person's. */
  runApart(args: readonly string[], input?: Uint8Array): Promise<GitOutcome>
  /** As `run`, where a failure is a fault. */
  must(args: readonly string[], input?: Uint8Array): Promise<Buffer>
  mustApart(args: readonly string[], input?: Uint8Array): Promise<Buffer>
  /** Goes on as if nothing had been added to the person's index. */
  forgetIndex(): Promise<void>
}

/** Settings that say how files are compared; none of them names a program or a file. */
const COMPARING =
  '^core\\.(autocrlf|eol|filemode|ignorecase|precomposeunicode|symlinks|trustctime|checkstat|sparsecheckoutcone)$'
const PLAIN_VALUE = /^(?:true|false|yes|no|on|off|[01]|input|lf|crlf|native|minimal|default)$/i
const SHARED_INDEX = /^sharedindex\.[0-9a-f]{40}$/
/**
 * Nothing is ever checked out from what is written here, so that names which other systems dislike do no harm. With a
 * sparse checkout git looks also at files that the index says to skip, if they are there.
 */
const SETTINGS = [
  'core.sparseCheckout=true',
  'core.protectNTFS=false',
  'core.protectHFS=false',
  'core.safecrlf=false',
  'core.untrackedCache=false',
]
/** Objects are there whole or not at all, also after a loss of power. */
const DURABLE = ['core.fsync=loose-object', 'core.fsyncMethod=batch']

/** With its time, or an earlier one: git distrusts what an index says of files that were changed then or later. */
async function copyRegular(from: string, to: string): Promise<void> {
  const stats = await lstat(from).catch(() => null)
  if (stats?.isFile() !== true) return
  await copyFile(from, to)
  const seconds = Math.floor(stats.mtimeMs) / 1000
  await utimes(to, seconds, seconds)
}

/** The lines of a configuration with those settings of the repository that say how files are compared. */
async function comparingSettings({ source: { gitDir }, searchPath, signal }: WorkViewOptions): Promise<string[]> {
  const { stdout } = await runGit(['config', '-z', '--get-regexp', COMPARING], { gitDir, searchPath, signal })
  return stdout
    .toString()
    .split('\0')
    .flatMap(entry => {
      const [key = '', value = 'true'] = entry.split('\n')
      return key.startsWith('core.') && PLAIN_VALUE.test(value) ? [`${key.slice('core.'.length)} = ${value}`] : []
    })
}

async function fillView(dir: string, { source, base }: WorkViewOptions, settings: readonly string[]): Promise<void> {
  const { gitDir, commonDir } = source
  for (const name of ['refs', 'objects', 'info']) await mkdir(join(dir, name), { recursive: true, mode: 0o700 })
  const config = ['[core]', 'repositoryformatversion = 0', 'bare = false', ...settings]
  await writeFile(join(dir, 'config'), `${config.join('\n')}\n`)
  await writeFile(join(dir, 'HEAD'), `${base}\n`)
  await copyRegular(join(commonDir, 'info', 'exclude'), join(dir, 'info', 'exclude'))
  await copyRegular(join(commonDir, 'info', 'attributes'), join(dir, 'info', 'attributes'))
  await copyRegular(join(gitDir, 'info', 'sparse-checkout'), join(dir, 'info', 'sparse-checkout'))
  const shared = (await readdir(gitDir)).filter(name => SHARED_INDEX.test(name))
  for (const name of ['index', ...shared]) await copyRegular(join(gitDir, name), join(dir, name))
}

function problemOf([command = '']: readonly string[], { stderr }: GitOutcome): Error {
  if (/No space left|Disk quota/.test(stderr)) {
    return diskFull('The disk became full while the files of the work tree were read')
  }
  return new FaultlineError(
    'CLONE_FAILED',
    'Git could not read the files of the work tree.',
    'Look at what "git status" says there, or read the last commit alone: --committed.',
    { cause: new Error(`git ${command} failed: ${stderr}`) },
  )
}

/**
 * Lets git look at a work tree without its repository: through a git directory of ours with a copy of the index, and
 * with the objects of our clone. Nothing of the person's repository is written, and nothing that its configuration or
 * its attributes name is run: no filter, no hook, no monitor.
 */
export async function withWorkView<T>(options: WorkViewOptions, use: (view: WorkView) => Promise<T>): Promise<T> {
  const { source, cloneDir, folder, searchPath, signal } = options
  const dir = join(folder, `.tmp-${randomUUID()}`)
  await mkdir(dir, { mode: 0o700 })
  try {
    const settings = await comparingSettings(options)
    await fillView(dir, options, settings)
    const symlinks = settings.includes('symlinks = false') ? 'false' : 'true'
    const given = [...SETTINGS, ...DURABLE, `core.symlinks=${symlinks}`].flatMap(setting => ['-c', setting])
    const runWith =
      (index: string) =>
      (args: readonly string[], input?: Uint8Array): Promise<GitOutcome> =>
        runGit([...given, ...args], {
          gitDir: dir,
          searchPath,
          signal,
          input,
          env: {
            GIT_WORK_TREE: source.workTree,
            GIT_INDEX_FILE: join(dir, index),
            GIT_OBJECT_DIRECTORY: join(cloneDir, 'objects'),
          },
        })
    const [run, runApart] = [runWith('index'), runWith('index-apart')]
    const demand =
      (runEither: WorkView['run']): WorkView['must'] =>
      async (args, input) => {
        const outcome = await runEither(args, input)
        if (outcome.exitCode !== 0) throw problemOf(args, outcome)
        return outcome.stdout
      }
    return await use({
      settings: settings.join('\n'),
      run,
      runApart,
      must: demand(run),
      mustApart: demand(runApart),
      forgetIndex: () => rm(join(dir, 'index'), { force: true }),
    })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}
