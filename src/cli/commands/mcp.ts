import type { Command } from 'commander'
import type { Variables } from '../../config.ts'
import type { AskServer } from '../backend/http.ts'
import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { bridgeMcp, type PostMessage } from '../mcp-bridge.ts'
import type { Run } from '../run.ts'
import type { Session } from '../session.ts'

/** `POST /mcp` of this process. */
export interface McpHere {
  post: PostMessage
  close(): Promise<void>
}

/** Opens the routes of this process, without a port. */
export type OpenMcp = (
  flags: Variables,
  options: { repositories: string[]; warn: (text: string) => void },
) => Promise<McpHere>

interface McpOptions {
  repo: string[]
}

/** @throws {CliError} The connection ended within the answer. */
async function wholeBody(response: Response, signal: AbortSignal): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    signal.throwIfAborted()
    const text = 'The server went away within its answer. Ask again when it is back; a job that was started goes on.'
    throw new CliError('SERVER_UNREACHABLE', text, { cause: error })
  }
}

/** `POST /mcp` of a server. */
const postTo =
  (ask: AskServer): PostMessage =>
  async (body, headers, signal) => {
    const response = await ask('mcp', { method: 'POST', body, headers: { ...headers }, signal })
    return {
      status: response.status,
      contentType: response.headers.get('content-type') ?? '',
      body: await wholeBody(response, signal),
    }
  }

async function mcp(session: Session, { repo }: McpOptions, open: OpenMcp): Promise<number> {
  const { terminal, signal } = session
  const write = (line: string): void => {
    terminal.stdout.write(`${line}\n`)
  }
  const server = await session.findServer()
  if (server !== null) {
    await bridgeMcp({ input: terminal.stdin, write, post: postTo(server), signal })
    return EXIT.done
  }
  const here = await open(session.flags, { repositories: repo, warn: session.output.warn })
  try {
    await bridgeMcp({ input: terminal.stdin, write, post: here.post, signal })
  } finally {
    await here.close()
  }
  return EXIT.done
}

/**
 * Adds `faultline mcp`.
 *
 * @param open - Loads and opens the routes of this process; a client of a server needs none.
 */
export function addMcp(program: Command, run: Run, open: OpenMcp): void {
  program
    .command('mcp')
    .description('speak the Model Context Protocol on standard input and output, for coding agents')
    .option(
      '--repo <path>',
      'repository on this machine that the agent may have cloned; can be given several times',
      (path: string, paths: string[]) => [...paths, path],
      [],
    )
    .addHelpText(
      'after',
      `
An agent starts this command itself; docs/agents.md has the lines for the common ones. A server that holds the data
folders does the work, or the one that --server names; else this process does, and nothing listens on a port.

Examples:
  $ claude mcp add faultline -- faultline mcp
  $ faultline mcp --server http://127.0.0.1:8000`,
    )
    .action((options: McpOptions, command: Command) => run(command, session => mcp(session, options, open)))
}
