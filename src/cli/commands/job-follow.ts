import type { Command } from 'commander'
import type { JobAnswer } from '../../contract/job.ts'
import { isTerminal } from '../../core/job.ts'
import { eventWithCommands } from '../advice.ts'
import type { Backend } from '../backend/backend.ts'
import { CliError } from '../cli-error.ts'
import { replyTo } from '../converse.ts'
import { createEventPrinter } from '../event-printer.ts'
import { reportEnded } from '../job-reports.ts'
import type { Run } from '../run.ts'
import { READ, type Session } from '../session.ts'

interface Following {
  id: string
  /** The number of the latest event that was shown. */
  shown: number
  /** Whether the job goes on when this command ends; not one that this process itself works on. */
  goesOn: boolean
}

/** Shows what happens until the job has ended or asks something. */
async function watch(session: Session, backend: Backend, following: Following): Promise<JobAnswer> {
  const { output, signal } = session
  const { id } = following
  const progress = output.progress({ withJson: true })
  const show = createEventPrinter(progress, output)
  try {
    for (const event of (await backend.jobEvents(id, following.shown)).data) {
      show(eventWithCommands(event, id))
      following.shown = event.id
    }
    let job = await backend.getJob(id) // after the events: what is asked since then is among those that follow
    while (!isTerminal(job.status) && job.status !== 'waiting') {
      let isAsked = false
      for await (const event of backend.followJob(id, following.shown, signal)) {
        show(eventWithCommands(event, id))
        following.shown = event.id
        isAsked = event.event === 'request'
        if (isAsked) break
      }
      job = await backend.getJob(id)
      if (!isAsked) return job
    }
    return job
  } finally {
    progress.end()
  }
}

const notWorkedOn = ({ id, status }: JobAnswer): CliError =>
  new CliError('JOB_NOT_WORKED_ON', `The job ${id} is ${status}, and no process is there that would go on with it.`, {
    fix: '"faultline serve" goes on with it, and so does the next command that makes a job.',
  })

/** Follows the job and asks what it asks, as often as it does. */
async function followToEnd(session: Session, following: Following): Promise<JobAnswer> {
  let job = await session.withBackend(backend => watch(session, backend, following), READ)
  while (job.status === 'waiting') {
    const body = await replyTo(session, job, false)
    job = await session.withBackend(async backend => {
      following.goesOn = backend.server !== null
      await backend.replyToJob(following.id, body)
      return watch(session, backend, following)
    })
  }
  return job
}

async function follow(session: Session, id: string): Promise<number> {
  const following: Following = { id, shown: 0, goesOn: true }
  try {
    const job = await followToEnd(session, following)
    if (!isTerminal(job.status)) throw notWorkedOn(job)
    return reportEnded(session, job)
  } catch (error) {
    if (session.signal.aborted) {
      const how = following.goesOn ? 'goes on' : 'goes on with "faultline serve", or the next command that makes a job'
      session.output.note(
        `The job ${how}; "faultline jobs follow ${id}" shows it again, "faultline jobs cancel ${id}" ends it.`,
      )
    }
    throw error
  }
}

/** Adds `faultline jobs follow`. */
export function addJobFollow(jobs: Command, run: Run): void {
  jobs
    .command('follow <id>')
    .description('show live what happens in a job, and ask what it asks, to its end')
    .addHelpText(
      'after',
      `
Shows steps, output and the words of the model on stderr as they come, from the beginning, and goes on after a broken
connection. In the end it prints what the command would that made the job, and exits with the same code; files are not
written ("faultline jobs files <id> --output FOLDER" does). A job that asks something while there is no terminal ends
the command with exit code 1 and the command that answers. Ctrl-C leaves the job running.

Examples:
  $ faultline jobs follow 4be1…
  $ faultline jobs follow 4be1… --server http://127.0.0.1:8000`,
    )
    .action((id: string, _options: object, command: Command) => run(command, session => follow(session, id)))
}
