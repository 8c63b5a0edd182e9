import type { Command } from 'commander'
import type { Variables } from '../../config.ts'
import { flagsFrom, type GlobalOptions } from '../session.ts'

interface ServeOptions extends GlobalOptions {
  host?: string
  port?: string
}

/**
 * Adds `faultline serve`.
 *
 * @param start - Loads and runs the server; the rest of the command line works without it.
 */
export function addServe(program: Command, start: (flags: Variables) => Promise<void>): void {
  program
    .command('serve')
    .description('run the server until Ctrl-C')
    .option('--host <address>', 'address to listen on; default: HOST, or 127.0.0.1')
    .option('--port <port>', 'port to listen on, 0 for a free one; default: PORT, or 8000')
    .addHelpText(
      'after',
      `
Every setting comes from the environment or from .env; .env.example lists them. An address beyond this machine needs
API_KEYS.

Examples:
  $ faultline serve
  $ faultline serve --port 9000 --data-dir ~/faultline
  $ LLM_BASE_URL=http://127.0.0.1:11434/v1 LLM_MODEL=qwen2.5-coder faultline serve`,
    )
    .action((_options: object, command: Command) => {
      const options = command.optsWithGlobals<ServeOptions>()
      return start({ ...flagsFrom(options, process.cwd()), HOST: options.host, PORT: options.port })
    })
}
