import { FaultlineError } from '../../../core/errors.ts'

/** The name that gpt-engineer gives the script that installs and runs a program. */
export const ENTRYPOINT = 'run.sh'

/** The error for a program without the script that runs it. */
export const entrypointNotFound = (entrypoint: string): FaultlineError =>
  new FaultlineError(
    'ENTRYPOINT_NOT_FOUND',
    `There is no ${JSON.stringify(entrypoint)} among the files: the script that runs the program.`,
    'Send it, or name another one with "entrypoint".',
  )
