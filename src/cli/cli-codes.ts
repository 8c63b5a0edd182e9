import { EXIT } from './exit-codes.ts'

/** Exit code, cause and cure of the codes that only the command line has; docs/troubleshooting.md shows them. */
export const CLI_CODE_HELP = {
  USAGE: {
    exit: EXIT.usage,
    cause: 'The command line makes no sense as it was typed: an unknown option, a missing file, no such repository.',
    cure: '"faultline --help" and "faultline COMMAND --help" show the usage, with examples.',
  },
  TASK_NOT_FAILED: {
    exit: EXIT.usage,
    cause: 'A task is to be tried again that has not failed: it is done, or still worked on.',
    cure: '"faultline show NUMBER" says how it stands; "faultline run" makes another one.',
  },
  MERGE_CONFLICT: {
    exit: EXIT.failed,
    cause: 'The branch of a task that passed conflicts with what the checkout holds by now. Nothing was changed there.',
    cure: 'Merge it by hand with the commands of the message, or run "faultline retry" or "faultline run" anew.',
  },
  REPLY_NEEDED: {
    exit: EXIT.failed,
    cause: 'A job asks something, and there is no terminal to ask on.',
    cure: 'Answer with "faultline jobs reply ID", or run the command again with --yes.',
  },
  JOB_NOT_WORKED_ON: {
    exit: EXIT.failed,
    cause: 'A job is to be followed, and no process works on it.',
    cure: '"faultline serve" goes on with it; then follow it again.',
  },
  FILES_DIFFER: {
    exit: EXIT.failed,
    cause: 'Files in the folder differ from those that a program is made of, so nothing was written over them.',
    cure: '"faultline jobs files ID --output FOLDER" writes them elsewhere; --force overwrites.',
  },
  FILES_CHANGED: {
    exit: EXIT.failed,
    cause: 'Files changed on the disk while the job worked on them, so nothing was written over them.',
    cure: '"faultline jobs diff ID | git apply" applies the changes to what is there now.',
  },
  SERVER_UNREACHABLE: {
    exit: EXIT.missing,
    cause: 'No server answers at the address of --server or FAULTLINE_SERVER.',
    cure: 'Start one with "faultline serve", check the address, or work without one: --no-server.',
  },
  NOT_A_FAULTLINE_SERVER: {
    exit: EXIT.missing,
    cause: 'Something answers at the address of --server, but not as Faultline does.',
    cure: 'Check the address: the port, and the path below which a proxy has it.',
  },
  INSTALLATION_INCOMPLETE: {
    exit: EXIT.missing,
    cause: 'A part of the installation is missing or was made for another Node.',
    cure: 'Run npm ci, then "faultline doctor".',
  },
  INTERRUPTED: {
    exit: EXIT.interrupted,
    cause: 'Ctrl-C, or a signal, ended the command; its job was cancelled.',
    cure: 'Run the command again, or "faultline jobs retry ID".',
  },
} as const

const EXITS: ReadonlyMap<string, number> = new Map(
  Object.entries(CLI_CODE_HELP).map(([code, { exit }]) => [code, exit]),
)

/** The exit code of an error that only the command line has; 1 for other codes. */
export const cliExitCode = (code: string): number => EXITS.get(code) ?? EXIT.failed
