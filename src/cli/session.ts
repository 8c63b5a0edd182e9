import { resolve } from 'node:path'
import type { JobAnswer } from '../contract/job.ts'
import type { Variables } from '../config.ts'
import { clientEnvironment, dataFoldersBelow } from '../config/client.ts'
import type { Log, ServiceOptions } from '../services/services.ts'
import { inCommands, withCommands } from './advice.ts'
import type { Backend } from './backend/backend.ts'
import type { FolderAccess, LocalOptions } from './backend/local.ts'
import { CliError, fixOf, interrupted, usageError } from './cli-error.ts'
import { EXIT, exitCodeFor } from './exit-codes.ts'
import { createAskServer, createHttpBackend, type AskServer } from './backend/http.ts'
import { progressText } from '../text/job-text.ts'
import { createOutput, type Output, type Terminal } from './output.ts'

/** Options that every command takes. */
export interface GlobalOptions {
  json?: boolean
  /** How a command that has this option writes its answer; `json` means the same as `--json`. */
  format?: string
  quiet?: boolean
  /** `false` for --no-server: no server is asked, neither that of FAULTLINE_SERVER nor one that holds the folders. */
  server?: string | boolean
  apiKey?: string
  dataDir?: string
  vectorStoreDir?: string
  clonedReposDir?: string
}

/** What a command finds around it. */
export interface Surroundings {
  /** The folder that it is called in. */
  cwd: string
  /** How the services of this process start threads; real ones by default. */
  starter?: ServiceOptions['starter']
}

/** How a command's backend is opened. */
export interface BackendOptions {
  /** Folders that the user named: repositories may be cloned from there in this process. */
  localRepos?: string[]
  /** Keep the data in the user's own (XDG) folder unless --data-dir is given. */
  personal?: boolean
  /** What the command does with the data folders; `write` where nothing is said. */
  access?: FolderAccess
}

/** For commands that only look: they work beside whatever holds the data folders. */
export const READ: BackendOptions = { access: 'read' }

/** For `--detach`: without a server the job would end with the command. */
export const accessFor = (detach: boolean | undefined): FolderAccess => (detach === true ? 'server' : 'write')

/** One call of one command. */
export interface Session {
  output: Output
  terminal: Terminal
  /** Fires at Ctrl-C. */
  signal: AbortSignal
  cwd: string
  /** Whether the person named a server; one that holds the data folders may do the work without that. */
  isRemote: boolean
  /** The user's program for long texts, where he has named one. */
  pager?: string
  /** The file that a step of GitHub Actions writes its summary to. */
  stepSummary?: string
  /** Settings from the command line. */
  flags: Variables
  /** Opens the services of this process, or the way to the server, and closes them in every case. */
  withBackend<T>(use: (backend: Backend) => Promise<T>, options?: BackendOptions): Promise<T>
  /** The way to the server that is named or that holds the data folders; null where this process does the work. */
  findServer(): Promise<AskServer | null>
}

/** Loads what works with folders only where it is needed: help and clients of a server start at once. */
async function openFolders(options: LocalOptions): Promise<Backend> {
  const { openLocal } = await import('./backend/local.ts')
  return openLocal(options)
}

function serverFrom({ server }: GlobalOptions, fallback: string | undefined): string | undefined {
  if (server === false) return undefined
  return typeof server === 'string' ? server : fallback
}

/** Flags as settings; `--data-dir` alone moves all folders, so that two processes with different ones share nothing. */
export function flagsFrom({ dataDir, vectorStoreDir, clonedReposDir }: GlobalOptions, cwd: string): Variables {
  const flags: Variables =
    dataDir === undefined ? {} : { ...dataFoldersBelow(resolve(cwd, dataDir)), DATA_DIR: resolve(cwd, dataDir) }
  if (vectorStoreDir !== undefined) flags.VECTOR_STORE_DIR = resolve(cwd, vectorStoreDir)
  if (clonedReposDir !== undefined) flags.CLONED_REPOS_DIR = resolve(cwd, clonedReposDir)
  return flags
}

function causeOf(error: unknown, debug: boolean): string {
  if (!(error instanceof Error)) return String(error)
  const { message, stack = message } = error
  return debug ? stack : message
}

/** A log for a command, which has no log file: errors that a server would log go to stderr. */
function logTo(output: Output, debug: boolean): Log {
  const say = (context: object, message: string) => {
    const { err } = context as { err?: unknown }
    output.warn(err === undefined ? message : `${message}: ${causeOf(err, debug)}`)
  }
  return { error: say, warn: debug ? say : () => {}, info: () => {} }
}

/** Opens the session of one call. */
export function openSession(
  options: GlobalOptions,
  {
    terminal,
    signal,
    cwd,
    starter,
    program,
  }: { terminal: Terminal; signal: AbortSignal; program: string } & Surroundings,
): Session {
  const environment = clientEnvironment()
  const output = createOutput(terminal, {
    json: options.json === true || options.format === 'json',
    quiet: options.quiet === true,
  })
  const server = serverFrom(options, environment.server)
  const flags = flagsFrom(options, cwd)
  return {
    output,
    terminal,
    signal,
    cwd,
    flags,
    isRemote: server !== undefined,
    pager: environment.pager,
    stepSummary: environment.stepSummary,
    async withBackend(use, { localRepos = [], personal = false, access = 'write' } = {}) {
      const apiKey = options.apiKey ?? environment.apiKey
      const folders = personal ? dataFoldersBelow() : {}
      const log = logTo(output, environment.debug)
      const backend =
        server === undefined
          ? await openFolders({
              flags: { ...folders, ...flags },
              cwd,
              localRepos,
              log,
              starter,
              program,
              access,
              mayUseServer: options.server !== false,
              apiKey,
              signal,
              note: output.note,
            })
          : createHttpBackend({ server, apiKey })
      try {
        return await use(backend)
      } finally {
        await backend.close()
      }
    },
    async findServer() {
      const apiKey = options.apiKey ?? environment.apiKey
      if (server !== undefined) return createAskServer({ server, apiKey })
      if (options.server === false) return null
      const { serverHere } = await import('./backend/local.ts')
      const found = await serverHere({ flags, cwd, signal })
      return found === null ? null : createAskServer({ server: found, apiKey })
    },
  }
}

/** Cancels the job when Ctrl-C has ended the work on it. */
export async function orCancel<T>(
  { signal }: Session,
  backend: Backend,
  { id }: JobAnswer,
  work: Promise<T>,
): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (!signal.aborted) throw error
    await backend.cancelJob(id).catch(() => {}) // it may have ended at this moment, which is as good
    throw interrupted()
  }
}

/** Waits for a job and shows its progress; Ctrl-C cancels it. */
export async function followJob(session: Session, backend: Backend, job: JobAnswer): Promise<JobAnswer> {
  const progress = session.output.progress()
  try {
    return await orCancel(
      session,
      backend,
      job,
      backend.waitForJob(job.id, {
        signal: session.signal,
        onProgress: latest => progress.show(progressText(withCommands(latest))),
      }),
    )
  } finally {
    progress.end()
  }
}

/** The error of a job that ended without success; null for one that succeeded or waits for a person. */
export function jobFailure({ id, status, error }: JobAnswer): CliError | null {
  if (status === 'succeeded' || status === 'waiting') return null
  if (error !== null) {
    const advice = error.fix === undefined ? undefined : inCommands(error.fix, id)
    return new CliError(error.code, inCommands(error.message, id), {
      fix: fixOf(error.code, id) ?? advice,
      exitCode: exitCodeFor(error.code),
    })
  }
  return new CliError('CANCELLED', `The job ${id} was ${status}.`, {
    fix: `"faultline jobs retry ${id}" starts it again.`,
  })
}

/**
 * Prints a job that ended without success with `--json` and returns its exit code; null for any other job.
 *
 * @throws {CliError} Without `--json`.
 */
export function reportFailure({ output }: Session, job: JobAnswer): number | null {
  const failure = jobFailure(job)
  if (failure === null) return null
  if (!output.isJson) throw failure
  output.result(job, () => '')
  return failure.exitCode
}

/** Prints an ended job: with `--json` the job itself, whether it succeeded or not. */
export function reportJob(session: Session, job: JobAnswer, text: (job: JobAnswer) => string): number {
  const failed = reportFailure(session, job)
  if (failed !== null) return failed
  session.output.result(job, () => text(job))
  return EXIT.done
}

/** Parses an option that is a whole number within bounds. */
export function integerOption(name: string, minimum: number, maximum: number): (text: string) => number {
  return text => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
    if (!(value >= minimum && value <= maximum)) {
      throw usageError(`${name} ${JSON.stringify(text)}: expected a whole number from ${minimum} to ${maximum}.`)
    }
    return value
  }
}
