import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommanderError, type Command } from 'commander'
import type { Variables } from './config.ts'
import { clientEnvironment, PACKAGE_ROOT } from './config/client.ts'
import { isProgram } from './core/node-version.ts'
import { CliError, failureOf, interrupted, usageError } from './cli/cli-error.ts'
import { EXIT } from './cli/exit-codes.ts'
import { createOutput, type Terminal } from './cli/output.ts'
import { listenForInterrupts } from './cli/interrupts.ts'
import { createProgram } from './cli/program.ts'
import { openSession, type GlobalOptions, type Surroundings } from './cli/session.ts'

/** Whether Commander ended after it had printed help or the version. */
const isHelp = ({ code }: CommanderError): boolean =>
  ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code)

/**
 * Runs the server, which prints its own errors; it fails only before it listens, when a setting, a lock or a port is
 * missing.
 */
async function serve(flags: Variables): Promise<number> {
  const server = await import('./server.ts')
  await server.serve(flags)
  return process.exitCode === undefined || process.exitCode === 0 ? EXIT.done : EXIT.missing
}

/** A command as a person calls it: `faultline jobs retry`. */
const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`

function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string }
  return version
}

/** Whether an error is to be printed as JSON, too; known before a command has read its options. */
const wantsJson = (argv: readonly string[]): boolean =>
  argv.includes('--json') ||
  argv.some((word, at) => word === '--format=json' || (word === 'json' && argv[at - 1] === '--format'))

/** Runs one command and returns its exit code; errors are printed, not thrown. */
export async function runCommand(
  argv: string[],
  terminal: Terminal,
  surroundings: Surroundings = { cwd: process.cwd() },
): Promise<number> {
  let exitCode: number = EXIT.done
  let stopListening = () => {}
  const program = createProgram({
    version: packageVersion(),
    terminal,
    serve: async flags => {
      exitCode = await serve(flags)
    },
    openMcp: async (flags, options) => {
      const server = await import('./server.ts')
      return await server.openHere(flags, { ...options, starter: surroundings.starter })
    },
    async run(command, work) {
      const interruption = listenForInterrupts()
      stopListening = interruption.stop
      const session = openSession(command.optsWithGlobals<GlobalOptions>(), {
        terminal,
        signal: interruption.signal,
        program: pathOf(command),
        ...surroundings,
      })
      try {
        exitCode = await work(session)
      } catch (error) {
        const isSaid = error instanceof CliError && error.code === 'INTERRUPTED' // with what to do next
        throw interruption.signal.aborted && !isSaid ? interrupted() : error
      }
    },
  })
  try {
    await program.parseAsync(argv, { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError && isHelp(error)) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    const known =
      error instanceof CommanderError
        ? usageError(
            error.message.replace(/^error: /, ''),
            '"faultline --help" and "faultline <command> --help" show the usage.',
          )
        : error
    const failure = failureOf(known)
    createOutput(terminal, { json: wantsJson(argv), quiet: false }).failure(failure, known, {
      trace: clientEnvironment().debug,
    })
    return failure.exitCode
  } finally {
    stopListening()
  }
}

/** Entry of the `faultline` program. */
export async function main(argv: string[]): Promise<void> {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.done) // whoever read, as `head`, has seen enough
    throw error
  })
  process.exitCode = await runCommand(argv, process)
  // a read that nobody waits for would keep the process
  if (process.exitCode === EXIT.interrupted) process.stdin.destroy()
}

if (isProgram(import.meta)) await main(process.argv.slice(2))
