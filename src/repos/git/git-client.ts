import { existsSync } from 'node:fs'
import { simpleGit, type SimpleGitProgressEvent } from 'simple-git'
import { fileURLToPath } from 'node:url'
import { GIT_NOT_FOUND_EXIT_CODE } from './git-guard-exit.ts'
import { gitNotFound } from './git-process.ts'

const fileOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const SUFFIX = import.meta.url.endsWith('.ts') ? 'ts' : 'js'

/**
 * How git is started in a process group of its own: by a shell where `setsid` exists, as another Node takes 30 ms to
 * start.
 */
const GUARD: [string, string] = existsSync('/usr/bin/setsid')
  ? ['/bin/sh', fileOf('../../../bin/git-guard.sh')] // beside src/ and dist/
  : [process.execPath, fileOf(`./git-guard.${SUFFIX}`)]
/** Tells the guard the nice value of git and its helpers; that of git-guard.ts, without `setsid`, ignores it. */
const STEP_BACK = 'GIT_GUARD_NICE'
const MAX_OUTPUT_BYTES = 64 * 1_048_576

/** Git ended with an error. `stderr` is raw: scrub it before any of it reaches a person. */
export class GitFailure extends Error {
  readonly exitCode: number
  readonly stderr: string

  constructor(exitCode: number, stderr: string) {
    super(`git ended with ${exitCode}`)
    this.name = 'GitFailure'
    this.exitCode = exitCode
    this.stderr = stderr
  }
}

interface GitCall {
  /** Git's own sub-command and its arguments; user text only after `--` and only in checked form. */
  args: readonly string[]
  cwd: string
  env: Record<string, string>
  /** Settings as `key=value`, passed with `-c`. */
  settings: readonly string[]
  /** Whether what else runs on the machine goes first when the processors are busy. */
  isLowPriority?: boolean
  signal: AbortSignal
  onProgress?: (progress: { phase: string; done: number; total: number }) => void
}

/**
 * Runs one git command that may use the network, and returns its stdout. The only place that makes a simple-git
 * instance: the switches below turn its own guard off, because it refuses our hardening, so every value that reaches it
 * is fixed or was checked.
 *
 * The signal kills git and all its helpers at once, and so does the end of this process (see git-guard.ts).
 * `DEBUG=simple-git` would print the environment, credentials included, to stderr.
 *
 * @throws {GitFailure} Exit code other than 0.
 * @throws The signal's reason, when it fired.
 */
export async function callGit({
  args,
  cwd,
  env: own,
  settings,
  isLowPriority,
  signal,
  onProgress,
}: GitCall): Promise<string> {
  signal.throwIfAborted()
  const env = isLowPriority === true ? { ...own, [STEP_BACK]: '10' } : own
  const flood = new AbortController()
  let failure: Error | undefined // kept here because simple-git wraps it into an error of its own
  const git = simpleGit({
    baseDir: cwd,
    binary: GUARD,
    config: [...settings],
    abort: AbortSignal.any([signal, flood.signal]),
    allowEnvironment: Object.keys(env),
    ...(onProgress === undefined
      ? {}
      : {
          progress: ({ stage, processed, total }: SimpleGitProgressEvent) => {
            if (!stage.endsWith(':')) onProgress({ phase: stage, done: processed, total })
          },
        }),
    // Its default takes a failure without a word on stderr for success.
    errors: (error, { exitCode, stdErr }) => {
      if (exitCode === 0 && error === undefined) return undefined
      failure =
        exitCode === GIT_NOT_FOUND_EXIT_CODE
          ? gitNotFound()
          : new GitFailure(exitCode, Buffer.concat(stdErr).toString())
      return failure
    },
    unsafe: {
      allowUnsafeCustomBinary: true,
      allowUnsafeTemplateDir: true,
      allowUnsafeProtocolOverride: true,
      allowUnsafeHooksPath: true,
      allowUnsafeFsMonitor: true,
      allowUnsafeCredentialHelper: true,
      allowUnsafeAskPass: true,
      allowUnsafeConfigPaths: true,
      allowUnsafeConfigEnvCount: true,
      allowUnsafeSshCommand: true,
      allowUnsafePack: true,
    },
  }).env(env)
  let received = 0
  const count = (chunk: Buffer) => {
    received += chunk.length
    if (received > MAX_OUTPUT_BYTES) flood.abort() // it keeps all it reads, and the other side can send without end
  }
  git.outputHandler((_command, stdout, stderr) => {
    stdout.on('data', count)
    stderr.on('data', count)
  })
  try {
    return await git.raw([...args])
  } catch (error) {
    signal.throwIfAborted()
    if (flood.signal.aborted) throw new GitFailure(128, 'fatal: more output than expected')
    throw failure ?? error
  }
}
