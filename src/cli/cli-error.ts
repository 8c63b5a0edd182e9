import { ERROR_HELP } from '../core/error-help.ts'
import { FaultlineError } from '../core/errors.ts'
import { inCommands } from './advice.ts'
import { cliExitCode } from './cli-codes.ts'
import { exitCodeFor, EXIT } from './exit-codes.ts'

/**
 * A failure whose code is not one of this version's: the command line's own, or that of a server of another version.
 */
export class CliError extends Error {
  readonly code: string
  readonly fix: string | undefined
  readonly exitCode: number

  constructor(
    code: string,
    message: string,
    { fix, exitCode = cliExitCode(code), cause }: { fix?: string; exitCode?: number; cause?: unknown } = {},
  ) {
    super(message, { cause })
    this.name = new.target.name
    this.code = code
    this.fix = fix
    this.exitCode = exitCode
  }
}

/** The error for a call that makes no sense as it was typed. */
export const usageError = (message: string, fix?: string): CliError => new CliError('USAGE', message, { fix })

/** The error for Ctrl-C, or a request to end the process. */
export const interrupted = (): CliError => new CliError('INTERRUPTED', 'Interrupted.')

/** A failure as a person or a script sees it. */
export interface Failure {
  code: string
  message: string
  fix: string | undefined
  exitCode: number
}

/** The next step in terms of the command line, where the error speaks of HTTP routes. */
const FIXES = new Map<string, string>([
  ['PROJECT_NOT_FOUND', '"faultline projects" lists the projects, "faultline clone <url>" makes one.'],
  ['INDEX_NOT_READY', '"faultline jobs --type clone" says how far it is or why it failed.'],
  ['PROJECT_BUSY', 'Wait for its job ("faultline jobs"), or end it with "faultline jobs cancel <id>".'],
  ['JOB_NOT_FOUND', '"faultline jobs" lists the jobs; "faultline show <number>" shows a task.'],
  ['TASK_NOT_FOUND', '"faultline tasks" lists the tasks; "faultline jobs show <id>" shows a job.'],
  ['MERGE_NEEDS_PUSH', 'Add --push, or say --no-auto-merge to get the branch alone (AUTO_MERGE sets the default).'],
  ['JOB_FINISHED', '"faultline jobs retry <id>" starts it again.'],
  ['JOB_NOT_FINISHED', '"faultline jobs cancel <id>" ends it.'],
  [
    'LOCAL_REPOSITORY_REFUSED',
    'Set ALLOW_LOCAL_REPOS (of the server, with --server) to a folder above it; ' +
      '"faultline clone <path>" in process takes the path that you name.',
  ],
  [
    'LLM_NOT_CONFIGURED',
    'Set LLM_BASE_URL and LLM_MODEL (of the server, with --server), ' +
      'e.g. LLM_BASE_URL=http://127.0.0.1:11434/v1 LLM_MODEL=qwen3-coder; .env.example lists the keys of providers.',
  ],
  ['NO_FILES_IN_REPLY', 'Another model may do better (--model); "faultline jobs retry <id>" asks again.'],
  [
    'EDITS_REJECTED',
    '"faultline jobs diff <id>" has what could be applied, if anything, and --allow-partial takes it. ' +
      '"faultline jobs retry <id>" tries again; another model may do better (--model).',
  ],
  [
    'REPLY_TRUNCATED',
    '"faultline jobs files <id>" and "faultline jobs diff <id>" have what was whole. Raise LLM_MAX_OUTPUT_TOKENS ' +
      '(of the server, with --server) or ask for less; "faultline jobs retry <id>" tries again.',
  ],
  [
    'REPLY_FILTERED',
    'Another model may do better (--model), or other words in the prompt; "faultline jobs retry <id>" asks again.',
  ],
  ['BUDGET_EXHAUSTED', '"faultline jobs files <id>" lists what was done, --budget-tokens and its like allow more.'],
  ['ENTRYPOINT_NOT_FOUND', 'Name the script that runs the program with --entrypoint, or write one as run.sh.'],
  ['UNAUTHORIZED', 'Give the key with --api-key or FAULTLINE_API_KEY.'],
])

/** The next step for an error's code; `id` is that of the failed job. */
export const fixOf = (code: string, id: string): string | undefined => FIXES.get(code)?.replaceAll('<id>', id)

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0] ?? ''
}

const advised = (fix: string | undefined): string | undefined => (fix === undefined ? undefined : inCommands(fix))

/** Describes any error that a command ended with. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CliError) {
    return {
      code: error.code,
      message: inCommands(error.message),
      fix: advised(error.fix) ?? FIXES.get(error.code),
      exitCode: error.exitCode,
    }
  }
  if (error instanceof FaultlineError) {
    const cure = error.fix ?? ERROR_HELP[error.code].cure
    return {
      code: error.code,
      message: inCommands(error.message),
      fix: FIXES.get(error.code) ?? advised(cure),
      exitCode: exitCodeFor(error.code),
    }
  }
  const { code } = (error ?? {}) as NodeJS.ErrnoException
  if (code === 'ERR_DLOPEN_FAILED' || code === 'ERR_MODULE_NOT_FOUND') {
    return {
      code: 'INSTALLATION_INCOMPLETE',
      message: `A part of the installation cannot be loaded: ${firstLine(error)}`,
      fix: 'Run npm ci, then "faultline doctor".',
      exitCode: EXIT.missing,
    }
  }
  return {
    code: 'INTERNAL',
    message: `This is a bug: ${firstLine(error)}`,
    fix: 'DEBUG=true shows where it happened.',
    exitCode: EXIT.failed,
  }
}
