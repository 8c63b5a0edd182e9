import type { ProgramRun } from '../../../contract/generation-results.ts'
import { shortened } from '../../../core/both-ends.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { RunRequest } from '../../../sandbox/run.ts'
import type { Sandbox } from '../../../sandbox/sandbox.ts'
import { currentFiles, type BaseFiles, type Changes } from '../base/base-files.ts'

/** What running a program needs. */
export type RunDeps = Pick<Sandbox, 'fill' | 'run' | 'remove'>

/** A program and the files that it finds. */
interface ProgramRequest extends Pick<RunRequest, 'argv' | 'env' | 'network' | 'readyWhen' | 'layer'> {
  /** With the changes, what the workspace holds when it starts. */
  base: BaseFiles
  changes: Changes
  timeoutMs?: number
}

/** A program in a workspace that there is. */
interface WorkspaceRequest
  extends Omit<ProgramRequest, 'base' | 'changes'>, Pick<RunRequest, 'workspace' | 'home' | 'ecosystems' | 'tools'> {
  /** Megabytes that it may write. */
  diskMb?: number
}

/** Characters that are kept of each stream; a step's output is stored, and a model is shown less. */
const KEPT_CHARS = 100_000

/** How a script is run; one whose name begins with `-` is no option. */
export const scriptArgv = (script: string): string[] => ['/bin/bash', '--', script]

/** What a program printed, as far as the sandbox keeps it. */
interface Printed {
  stdout: string
  stderr: string
  /** Whether the sandbox left something out. */
  isCut: boolean
}

/** A run as it is stored and shown, and before its output was shortened for that. */
interface PrintedRun {
  run: ProgramRun
  printed: Printed
}

/** The middle of a long output is left out where it is stored. */
export const storedOutput = (text: string): string => shortened(text, KEPT_CHARS)

/** Runs a program in a workspace that there is, and gives what it printed before that is shortened. */
export async function runPrinting(
  job: JobContext,
  sandbox: Pick<Sandbox, 'run'>,
  { timeoutMs, diskMb, ...request }: WorkspaceRequest,
): Promise<PrintedRun> {
  const outcome = await sandbox.run({
    ...request,
    limits: { ...(timeoutMs === undefined ? {} : { timeoutMs }), ...(diskMb === undefined ? {} : { diskMb }) },
    onOutput: (stream, text) => job.log(text, stream),
    signal: job.signal,
  })
  const { exitCode, signal, timedOut, killedBy, ready, durationMs, sandboxed } = outcome
  job.signal.throwIfAborted()
  const [stdout, stderr] = [storedOutput(outcome.stdout), storedOutput(outcome.stderr)]
  await job.record({
    kind: 'command',
    argv: [...request.argv],
    exitCode,
    signal,
    stdout,
    stderr,
    timedOut,
    durationMs,
    sandboxed,
  })
  return {
    run: { exitCode, stdout, stderr, timedOut, durationMs, killedBy, ready, sandboxed },
    printed: { stdout: outcome.stdout, stderr: outcome.stderr, isCut: outcome.truncatedBytes > 0 },
  }
}

/** Runs a program in a workspace that there is. */
export async function runIn(
  job: JobContext,
  sandbox: Pick<Sandbox, 'run'>,
  request: WorkspaceRequest,
): Promise<ProgramRun> {
  return (await runPrinting(job, sandbox, request)).run
}

/** Work in a workspace of its own with the files of a base and the changes over it; it is deleted afterwards. */
export async function inWorkspace<T>(
  job: JobContext,
  sandbox: Pick<Sandbox, 'fill' | 'remove'>,
  { base, changes }: Pick<ProgramRequest, 'base' | 'changes'>,
  work: (workspace: string) => Promise<T>,
): Promise<T> {
  const workspace = await job.workspace('run')
  try {
    await base.place(workspace, new Set([...changes.changed, ...changes.deleted]))
    await sandbox.fill(workspace, await currentFiles(job, base, changes).readAll(changes.changed))
    return await work(workspace)
  } finally {
    await sandbox.remove(workspace, { later: true })
  }
}

/**
 * Runs a program in a workspace of its own, within a step: what it prints goes to the job's events as it comes, the
 * command with its outcome to the transcript.
 *
 * @throws {FaultlineError} SANDBOX_UNAVAILABLE, BAD_PATH.
 */
export function runProgram(
  job: JobContext,
  sandbox: RunDeps,
  { base, changes, ...program }: ProgramRequest,
): Promise<ProgramRun> {
  return inWorkspace(job, sandbox, { base, changes }, workspace => runIn(job, sandbox, { workspace, ...program }))
}
