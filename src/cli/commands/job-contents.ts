import type { Command } from 'commander'
import { transcriptText } from '../../text/transcript-text.ts'
import { canAsk, confirm } from '../ask.ts'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { READ, type Session } from '../session.ts'

type Kind = 'diff' | 'patch'

function text(session: Session, id: string, kind: Kind): Promise<number> {
  return session.withBackend(async backend => {
    const content = await backend.jobText(id, kind)
    if (session.output.isJson) session.output.result({ [kind]: content }, () => '')
    else session.terminal.stdout.write(content)
    return EXIT.done
  }, READ)
}

function transcript(session: Session, id: string): Promise<number> {
  return session.withBackend(async backend => {
    const found = await backend.jobTranscript(id)
    session.output.result(found, () => transcriptText(found.data, session.output.paint))
    return EXIT.done
  }, READ)
}

function remove(session: Session, id: string, { yes = false }: { yes?: boolean }): Promise<number> {
  return session.withBackend(async backend => {
    await backend.getJob(id)
    if (!yes && !canAsk(session)) {
      throw usageError('Deleting asks first, and there is no terminal to ask on.', 'Add --yes.')
    }
    if (!yes && !(await confirm(session, `Delete the job ${id}, its files and its transcript?`))) {
      session.output.note('Nothing was deleted.')
      return EXIT.failed
    }
    await backend.removeJob(id)
    session.output.result({ id, deleted: true }, () => `Deleted ${id}.`)
    return EXIT.done
  })
}

/** Adds the commands that print what a job has made and said, and the one that forgets it. */
export function addJobContents(jobs: Command, run: Run): void {
  jobs
    .command('diff <id>')
    .description('what a job changed, as a unified diff')
    .addHelpText('after', '\nExample:\n  $ faultline jobs diff 4be1… | git apply')
    .action((id: string, _options: object, command: Command) => run(command, session => text(session, id, 'diff')))

  jobs
    .command('patch <id>')
    .description('the same with its commit, as git format-patch writes it')
    .addHelpText('after', '\nExample:\n  $ faultline jobs patch 4be1… | git am')
    .action((id: string, _options: object, command: Command) => run(command, session => text(session, id, 'patch')))

  jobs
    .command('transcript <id>')
    .description('word for word what models and people were asked and said, and what was run')
    .addHelpText('after', '\nExample:\n  $ faultline jobs transcript 4be1… | less')
    .action((id: string, _options: object, command: Command) => run(command, session => transcript(session, id)))

  jobs
    .command('delete <id>')
    .description('forget an ended job, with its files and its transcript')
    .option('--yes', 'do not ask')
    .addHelpText('after', '\nExample:\n  $ faultline jobs delete 4be1… --yes')
    .action((id: string, options: { yes?: boolean }, command: Command) =>
      run(command, session => remove(session, id, options)),
    )
}
