import type { Command } from 'commander'
import type { ReplyBody } from '../../contract/job.ts'
import { withCommands } from '../advice.ts'
import { CliError, usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { listed } from '../../text/listed.ts'
import { jobText } from '../../text/job-text.ts'
import { writeJobFiles } from '../files/keep-files.ts'
import type { Run } from '../run.ts'
import { accessFor, followJob, integerOption, READ, reportJob, type Session } from '../session.ts'
import { columns, count } from '../../text/table.ts'
import { printableLine } from '../../text/terminal-text.ts'
import { needFolder } from '../files/write-files.ts'

interface ReplyOptions {
  skip?: boolean
  approve?: boolean
  reject?: boolean
  comment?: string
  tokens?: number
  seconds?: number
  usd?: number
  detach?: boolean
}

interface FilesOptions {
  output?: string
  force?: boolean
}

const MOST = 1_000_000_000

function replyFrom(
  answer: string | undefined,
  { skip, approve, reject, comment, tokens, seconds, usd }: ReplyOptions,
): ReplyBody {
  const budget = {
    ...(tokens === undefined ? {} : { tokens }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(usd === undefined ? {} : { usd }),
  }
  const rejected = { decision: 'reject' as const, ...(comment === undefined ? {} : { comment }) }
  if (comment !== undefined && reject !== true) throw usageError('--comment goes with --reject.', 'Add --reject.')
  const given: ReplyBody[] = [
    ...(answer === undefined ? [] : [{ answer }]),
    ...(skip === true ? [{ skip }] : []),
    ...(approve === true ? [{ decision: 'approve' as const }] : []),
    ...(reject === true ? [rejected] : []),
    ...(Object.keys(budget).length === 0 ? [] : [{ budget }]),
  ]
  const [only] = given
  if (only === undefined || given.length > 1) {
    throw usageError(
      'A reply is exactly one of: an answer, --skip, --approve, --reject, or limits of a budget.',
      '"faultline jobs show" says what the job asks.',
    )
  }
  return only
}

async function reply(session: Session, id: string, answer: string | undefined, options: ReplyOptions): Promise<number> {
  const body = replyFrom(answer, options)
  return session.withBackend(
    async backend => {
      const job = await backend.replyToJob(id, body)
      const text = (latest: typeof job) => jobText(withCommands(latest), session.output.paint)
      if (options.detach !== true) return reportJob(session, await followJob(session, backend, job), text)
      session.output.result(job, () => text(job))
      return EXIT.done
    },
    { access: accessFor(options.detach) },
  )
}

function listFiles(session: Session, id: string): Promise<number> {
  return session.withBackend(async backend => {
    const files = await backend.jobFiles(id)
    session.output.result(files, () =>
      files.data.length === 0
        ? 'No files.'
        : columns(
            files.data.map(({ path, bytes, sha256 }) => [sha256.slice(0, 12), String(bytes), printableLine(path)]),
          ),
    )
    return EXIT.done
  }, READ)
}

function showFile(session: Session, id: string, path: string): Promise<number> {
  return session.withBackend(async backend => {
    const content = await backend.readJobFile(id, path)
    if (session.output.isJson) session.output.result({ path, base64: content.toString('base64') }, () => '')
    else session.terminal.stdout.write(content)
    return EXIT.done
  }, READ)
}

async function files(
  session: Session,
  id: string,
  path: string | undefined,
  { output, force = false }: FilesOptions,
): Promise<number> {
  if (output === undefined) return path === undefined ? listFiles(session, id) : showFile(session, id, path)
  const folder = await needFolder(output, session.cwd, { mayBeMissing: true })
  return session.withBackend(async backend => {
    const { data } = await backend.jobFiles(id)
    const wanted = data.filter(file => path === undefined || file.path === path)
    if (wanted.length === 0) {
      throw new CliError(
        'NOT_FOUND',
        `The job ${id} keeps no ${path === undefined ? 'files' : `file ${JSON.stringify(path)}`}.`,
        { exitCode: EXIT.missing },
      )
    }
    await writeJobFiles(
      session,
      backend,
      id,
      wanted.map(file => file.path),
      { folder, name: output, force },
    )
    session.output.result(
      { data: wanted },
      () => `Wrote ${count(wanted.length, 'file')} to ${output}: ${listed(wanted.map(file => file.path))}`,
    )
    return EXIT.done
  }, READ)
}

/** Adds `faultline jobs reply`, and the command that shows and saves the files of a job. */
export function addJobReply(jobs: Command, run: Run): void {
  jobs
    .command('reply <id> [answer]')
    .description('answer what a waiting job asks, and wait for it to go on')
    .option('--skip', 'leave the question to the job')
    .option('--approve', 'yes')
    .option('--reject', 'no')
    .option('--comment <text>', 'with --reject, of changes: what should be different; the model is asked again')
    .option('--tokens <n>', 'a higher budget of tokens', integerOption('--tokens', 1, MOST))
    .option('--seconds <n>', 'a higher budget of seconds', integerOption('--seconds', 1, MOST))
    .option('--usd <n>', 'a higher budget of whole dollars', integerOption('--usd', 1, 1_000_000))
    .option('--detach', 'with a server: do not wait for it')
    .addHelpText(
      'after',
      '\nExamples:\n  $ faultline jobs reply 4be1… "Use the arrow keys."\n  $ faultline jobs reply 4be1… --approve' +
        '\n  $ faultline jobs reply 4be1… --reject --comment "Keep the old name."',
    )
    .action((id: string, answer: string | undefined, options: ReplyOptions, command: Command) =>
      run(command, session => reply(session, id, answer, options)),
    )

  jobs
    .command('files <id> [path]')
    .description('the files that a job keeps, or the bytes of one of them')
    .option('--output <folder>', 'write them there')
    .option('--force', 'with --output: overwrite files that differ without asking')
    .addHelpText(
      'after',
      `
Examples:
  $ faultline jobs files 4be1…
  $ faultline jobs files 4be1… src/main.py > main.py
  $ faultline jobs files 4be1… --output snake`,
    )
    .action((id: string, path: string | undefined, options: FilesOptions, command: Command) =>
      run(command, session => files(session, id, path, options)),
    )
}
