import type { Command } from 'commander'
import type { ResolutionRow } from '../../contract/kept-resolution.ts'
import type { ProjectAnswer } from '../../contract/project.ts'
import { FaultlineError } from '../../core/errors.ts'
import { resolutionsTable } from '../../text/kept-text.ts'
import type { Backend, ResolutionsListQuery } from '../backend/backend.ts'
import { usageError } from '../cli-error.ts'
import { evaluationCase } from '../evaluation-case.ts'
import { EXIT } from '../exit-codes.ts'
import { count } from '../../text/table.ts'
import type { Run } from '../run.ts'
import { integerOption, READ, type Session } from '../session.ts'
import { wholeText } from './resolve.ts'

interface ListOptions {
  project?: string
  fingerprint?: string
  withFeedback?: boolean
  limit: number
  cursor?: string
}

interface FeedbackOptions {
  helpful?: boolean
  notHelpful?: boolean
  comment?: string
  actualPath?: string
}

const EXPORT_PAGE = 100

function list(session: Session, { project, withFeedback, ...query }: ListOptions): Promise<number> {
  return session.withBackend(async backend => {
    const page = await backend.listResolutions({ ...query, project_name: project, with_feedback: withFeedback })
    session.output.result(page, () => resolutionsTable(page.data, session.output.paint))
    if (page.next_cursor !== null) session.output.note(`There are more: --cursor ${page.next_cursor}`)
    return EXIT.done
  }, READ)
}

function show(session: Session, id: string): Promise<number> {
  return session.withBackend(async backend => {
    const kept = await backend.getResolution(id)
    session.output.result(kept, () => wholeText(session, kept, { inRepository: false }))
    return EXIT.done
  }, READ)
}

function judge(session: Session, id: string, options: FeedbackOptions): Promise<number> {
  const { helpful = false, notHelpful = false, comment, actualPath } = options
  if (helpful === notHelpful) {
    throw usageError('Say --helpful or --not-helpful, and only one of them.', 'faultline resolutions feedback --help')
  }
  if (actualPath?.startsWith('/') === true) {
    throw usageError('--actual-path is relative to the repository, as src/shop/prices.py.')
  }
  const feedback = {
    helpful,
    ...(comment === undefined ? {} : { comment }),
    ...(actualPath === undefined ? {} : { actual_path: actualPath }),
  }
  return session.withBackend(async backend => {
    await backend.judgeResolution(id, feedback)
    session.output.result({ id, ...feedback }, () => 'Thank you; it is kept with the answer.')
    return EXIT.done
  })
}

/** All rows of a list, page by page. */
async function* allRows(backend: Backend, query: Omit<ResolutionsListQuery, 'limit'>): AsyncGenerator<ResolutionRow> {
  let cursor: string | undefined
  do {
    const page = await backend.listResolutions({ ...query, limit: EXPORT_PAGE, cursor })
    yield* page.data
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}

/** The project of an answer; it may be gone, and its answers with it a moment later. */
async function projectOf(
  backend: Backend,
  name: string,
): Promise<Pick<ProjectAnswer, 'project_name' | 'repositories'>> {
  try {
    return await backend.getProject(name)
  } catch (error) {
    if (error instanceof FaultlineError && error.code === 'PROJECT_NOT_FOUND') {
      return { project_name: name, repositories: [] }
    }
    throw error
  }
}

function exportCases(session: Session, { project }: { project?: string }): Promise<number> {
  return session.withBackend(async backend => {
    let written = 0
    let left = 0
    for await (const row of allRows(backend, { project_name: project, with_feedback: true })) {
      const [answer, of] = await Promise.all([backend.getResolution(row.id), projectOf(backend, row.project_name)])
      const line = evaluationCase(row, answer, of)
      if (line === null) {
        left++
        continue
      }
      session.terminal.stdout.write(`${JSON.stringify(line)}\n`)
      written++
    }
    const rest = left === 0 ? '' : `; ${left} left out, without --actual-path or with too long a trace`
    session.output.note(`${count(written, 'case')}${rest}.`)
    return EXIT.done
  }, READ)
}

/** Adds `faultline resolutions` and its subcommands. */
export function addResolutions(program: Command, run: Run): void {
  const resolutions = program
    .command('resolutions')
    .description('answers that are kept: list, show or judge them; export what people said of them')
    .addHelpText(
      'after',
      `
Examples:
  $ faultline resolutions
  $ faultline resolutions --with-feedback --project shop
  $ faultline resolutions feedback res_4be1… --not-helpful --actual-path src/shop/prices.py
  $ faultline resolutions export > crashes.jsonl`,
    )

  resolutions
    .command('list', { isDefault: true })
    .description('list them, newest first')
    .option('--project <name>', 'only those about this project')
    .option('--fingerprint <fingerprint>', 'only those about the same fault')
    .option('--with-feedback', 'only those that somebody has judged')
    .option('--limit <n>', 'how many to list, 1 to 200', integerOption('--limit', 1, 200), 50)
    .option('--cursor <cursor>', 'next_cursor of the page before')
    .addHelpText('after', '\nExample:\n  $ faultline resolutions list --project shop --json')
    .action((options: ListOptions, command: Command) => run(command, session => list(session, options)))

  resolutions
    .command('show <id>')
    .description('an answer as it was given')
    .addHelpText('after', '\nExample:\n  $ faultline resolutions show res_4be1…')
    .action((id: string, _options: object, command: Command) => run(command, session => show(session, id)))

  resolutions
    .command('feedback <id>')
    .description('say whether an answer helped, and which file really had to change')
    .option('--helpful', 'it did')
    .option('--not-helpful', 'it did not')
    .option('--comment <text>', 'what was good or bad about it')
    .option('--actual-path <path>', 'the file that really had to change, relative to the repository')
    .addHelpText(
      'after',
      '\nExamples:\n  $ faultline resolutions feedback res_4be1… --helpful --actual-path src/shop/cart.py\n' +
        '  $ faultline resolutions feedback res_4be1… --not-helpful --comment "It is the cache."',
    )
    .action((id: string, options: FeedbackOptions, command: Command) =>
      run(command, session => judge(session, id, options)),
    )

  resolutions
    .command('export')
    .description('judged answers as cases of an evaluation, a JSON object on each line')
    .option('--project <name>', 'only those about this project')
    .addHelpText(
      'after',
      `
Only answers for which somebody has named the file that really had to change (--actual-path), and whose trace was kept.
docs/evaluation.md says how to run the evaluation on them.

Example:
  $ faultline resolutions export --project shop > crashes.jsonl`,
    )
    .action((options: { project?: string }, command: Command) => run(command, session => exportCases(session, options)))
}
