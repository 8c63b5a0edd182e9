import { FaultlineError } from '../core/errors.ts'
import type { ReadyWhen, RunRequest } from './run.ts'
import { PROXY_PORT } from './network/registries.ts'

/**
 * The kernel accepts no longer argument (MAX_ARG_STRLEN), and 2 MiB for all together, of which the jail's own command
 * needs some.
 */
const MAX_ARGUMENT_BYTES = 128 * 1024 - 1
const MAX_ARGV_BYTES = 1024 * 1024
const MAX_OUTPUT_CHARS = 1000

const refused = (message: string, fix: string): FaultlineError => new FaultlineError('VALIDATION_FAILED', message, fix)

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 1 && port <= 65_535

function checkArgv(argv: readonly string[]): void {
  const sizes = argv.map(argument => Buffer.byteLength(argument))
  if (argv.length === 0 || argv[0] === '' || argv.some(argument => argument.includes('\0'))) {
    throw refused('A command needs a program, and no NUL in its arguments.', 'Send ["program", "argument"].')
  }
  if (Math.max(...sizes) > MAX_ARGUMENT_BYTES || sizes.reduce((sum, size) => sum + size, 0) > MAX_ARGV_BYTES) {
    throw refused('The command is too long.', 'Put it into a file of the workspace, and run that.')
  }
}

function checkReadyWhen({ port, output }: ReadyWhen, network: RunRequest['network']): void {
  if (port === undefined && output === undefined) {
    throw refused('ready_when needs a port or an output.', 'Send {"port": 8000} or {"output": "listening"}.')
  }
  if (port !== undefined && !isPort(port)) {
    throw refused(`ready_when: ${port} is no port.`, 'Send one from 1 to 65535.')
  }
  if (port === PROXY_PORT && network !== undefined && network !== 'none') {
    throw refused(
      `ready_when: with network, port ${PROXY_PORT} is that of the registry proxy.`,
      'Let the program listen at another port.',
    )
  }
  if (output !== undefined && (output === '' || output.length > MAX_OUTPUT_CHARS)) {
    throw refused(
      'ready_when: output is empty or too long.',
      `Send 1 to ${MAX_OUTPUT_CHARS} characters of what the program prints.`,
    )
  }
}

/**
 * Checks that a program can be started with a request, and can meet its conditions.
 *
 * @throws {FaultlineError} VALIDATION_FAILED when not.
 */
export function checkRequest({ argv, network, readyWhen }: Pick<RunRequest, 'argv' | 'network' | 'readyWhen'>): void {
  checkArgv(argv)
  if (readyWhen !== undefined) checkReadyWhen(readyWhen, network)
}
