import type { Command } from 'commander'
import type { ParseAnswer } from '../../contract/resolution.ts'
import { EXIT } from '../exit-codes.ts'
import { parsedText } from '../../text/resolution-text.ts'
import type { Run } from '../run.ts'
import { stackTraceFrom } from '../input.ts'
import type { Session } from '../session.ts'

/** Parses in this process. It needs no store and so no lock: it works beside a running server. */
async function parseHere(text: string): Promise<ParseAnswer> {
  const { parseOnly } = await import('../../services/parse-only.ts')
  const { toWireParsed } = await import('../../contract/resolution.ts')
  return toWireParsed(parseOnly(text))
}

async function parse(session: Session, file: string | undefined): Promise<number> {
  const text = await stackTraceFrom(session, file)
  const parsed = session.isRemote
    ? await session.withBackend(backend => backend.parse(text, session.signal))
    : await parseHere(text)
  session.output.result(parsed, () => parsedText(parsed, session.output.paint))
  return parsed.exceptions.length === 0 && parsed.frames.length === 0 ? EXIT.failed : EXIT.done
}

/** Adds `faultline parse`. */
export function addParse(program: Command, run: Run): void {
  program
    .command('parse [file]')
    .description('the exceptions and frames of a stack trace or log, without any project')
    .addHelpText(
      'after',
      `
The file is one stack trace or a whole log; "-" or no file reads standard input.

Examples:
  $ npm test 2>&1 | faultline parse -
  $ faultline parse build.log --json`,
    )
    .action((file: string | undefined, _options: object, command: Command) =>
      run(command, session => parse(session, file)),
    )
}
