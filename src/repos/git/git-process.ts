import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { constants, setPriority } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { FaultlineError } from '../../core/errors.ts'
import { requirePipes } from '../../core/open-files.ts'
import { gitEnv, LOCAL_SETTINGS } from './git-env.ts'

const MAX_STDERR_CHARS = 8_192
const MAX_STDOUT_BYTES = 64 * 1_048_576

interface LocalGitOptions {
  gitDir?: string
  searchPath?: string
  signal?: AbortSignal
  input?: string | Uint8Array
  /** Variables in addition to those that every git gets. */
  env?: Readonly<Record<string, string>>
  /** Whether other processes go first when the processors are busy. */
  isLowPriority?: boolean
}

/** How a local git command ended, and what it printed. */
export interface GitOutcome {
  exitCode: number
  stdout: Buffer
  stderr: string
}

/** A running local git: its streams, and how it ended. Killed when the signal fires or `kill` is called. */
export interface RunningGit {
  child: ChildProcessByStdio<Writable, Readable, Readable>
  ended: Promise<{ exitCode: number; stderr: string }>
  kill(): void
}

const running = new Set<ChildProcess>()

/** A git that computes for minutes would notice the end of its reader only when it writes. */
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // it ended already, or the system does not allow it: it is a courtesy
  }
}

/** The error for a machine without git. */
export function gitNotFound(): FaultlineError {
  return new FaultlineError(
    'GIT_NOT_FOUND',
    'There is no git program on this machine.',
    'Install it, e.g. with "apt-get install git".',
  )
}

/**
 * Starts a git command that works on the local repository only and needs no network. Such a command has no helpers and
 * ends with its pipes, at the latest, so it needs no guard.
 */
export function startGit(
  args: readonly string[],
  { gitDir, searchPath, signal, env, isLowPriority = false }: LocalGitOptions,
): RunningGit {
  signal?.throwIfAborted()
  const settings = LOCAL_SETTINGS.flatMap(setting => ['-c', setting])
  const child = spawn('git', [...settings, ...args], {
    env: { ...gitEnv({ gitDir, searchPath }), ...env },
    cwd: '/',
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  requirePipes(child)
  if (isLowPriority && child.pid !== undefined) lowerPriority(child.pid)
  running.add(child)
  child.once('close', () => running.delete(child))
  const kill = () => {
    child.kill('SIGKILL')
  }
  signal?.addEventListener('abort', kill)
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    if (stderr.length < MAX_STDERR_CHARS) stderr += text
  })
  child.stdin.on('error', () => {}) // a reader that ended early shows in its exit code
  const ended = once(child, 'close')
    .then(
      ([code]) => ({ exitCode: typeof code === 'number' ? code : 128, stderr: stderr.slice(0, MAX_STDERR_CHARS) }),
      error => {
        throw error.code === 'ENOENT' ? gitNotFound() : error
      },
    )
    .finally(() => signal?.removeEventListener('abort', kill))
  ended.catch(() => {}) // whoever awaits it sees the error; nobody may
  return { child, ended, kill }
}

/**
 * Runs a local git command to its end. Does not throw for an exit code; throws for an abort, a missing git and more
 * than 64 MiB of output.
 */
export async function runGit(args: readonly string[], options: LocalGitOptions): Promise<GitOutcome> {
  const git = startGit(args, options)
  const chunks: Buffer[] = []
  let size = 0
  git.child.stdin.end(options.input ?? '')
  git.child.stdout.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > MAX_STDOUT_BYTES) git.kill()
    else chunks.push(chunk)
  })
  const { exitCode, stderr } = await git.ended
  options.signal?.throwIfAborted()
  if (size > MAX_STDOUT_BYTES) throw new FaultlineError('REPOSITORY_TOO_LARGE', 'Git printed more than 64 MiB.')
  return { exitCode, stdout: Buffer.concat(chunks), stderr }
}
