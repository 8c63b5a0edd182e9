import { Option, type Command } from 'commander'
import { JOB_TYPES, JOB_STATUSES } from '../../contract/job-names.ts'
import type { JobAnswer } from '../../contract/job.ts'
import type { JobStatus, JobType } from '../../core/job.ts'
import { eventWithCommands, withCommands } from '../advice.ts'
import type { Backend } from '../backend/backend.ts'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { eventsText, jobsTable, jobText } from '../../text/job-text.ts'
import type { Run } from '../run.ts'
import { addJobContents } from './job-contents.ts'
import { addJobFollow } from './job-follow.ts'
import { addJobReply } from './job-reply.ts'
import { accessFor, followJob, integerOption, READ, reportJob, type Session } from '../session.ts'

interface ListOptions {
  type?: JobType
  status?: JobStatus
  project?: string
  limit: number
  cursor?: string
}
interface RetryOptions {
  fromStep?: string
  detach?: boolean
}

function list(session: Session, { project, ...query }: ListOptions): Promise<number> {
  return session.withBackend(async backend => {
    const page = await backend.listJobs({ ...query, project_name: project })
    session.output.result(page, () => jobsTable(page.data.map(withCommands), session.output.paint))
    if (page.next_cursor !== null) session.output.note(`There are more: --cursor ${page.next_cursor}`)
    return EXIT.done
  }, READ)
}

/** A job by its id; of a number it says which command shows it. */
async function jobNamed(backend: Backend, id: string): Promise<JobAnswer> {
  try {
    return await backend.getJob(id)
  } catch (error) {
    const task = /^\d{1,15}$/.test(id) ? await backend.getTask(Number(id)).catch(() => null) : null
    if (task === null) throw error
    throw usageError(
      `${id} is the number of a task, and this command takes the id of a job.`,
      `"faultline show ${id}" shows the task, "faultline jobs show ${task.job_id}" its job.`,
    )
  }
}

function show(session: Session, id: string): Promise<number> {
  return session.withBackend(async backend => {
    const job = await jobNamed(backend, id)
    session.output.result(job, () => jobText(withCommands(job), session.output.paint))
    return EXIT.done
  }, READ)
}

function cancel(session: Session, id: string): Promise<number> {
  return session.withBackend(async backend => {
    const job = await backend.cancelJob(id)
    session.output.result(job, () => `Cancelled ${job.id}.`)
    return EXIT.done
  })
}

async function retry(session: Session, id: string, { fromStep, detach = false }: RetryOptions): Promise<number> {
  return session.withBackend(
    async backend => {
      const job = await backend.retryJob(id, fromStep === undefined ? {} : { from_step: fromStep })
      const text = (latest: typeof job) => jobText(withCommands(latest), session.output.paint)
      if (!detach) return reportJob(session, await followJob(session, backend, job), text)
      session.output.result(job, () => text(job))
      return EXIT.done
    },
    { access: accessFor(detach) },
  )
}

function events(session: Session, id: string, after: number): Promise<number> {
  return session.withBackend(async backend => {
    const page = await backend.jobEvents(id, after)
    session.output.result(page, () =>
      eventsText(
        page.data.map(event => eventWithCommands(event, id)),
        session.output.paint,
      ),
    )
    return EXIT.done
  }, READ)
}

/** Adds `faultline jobs` and its subcommands. */
export function addJobs(program: Command, run: Run): void {
  const jobs = program
    .command('jobs')
    .description('list the jobs, newest first; show, follow, answer, cancel or retry one')
    .addOption(new Option('--type <type>', 'only jobs of this type').choices(JOB_TYPES))
    .addOption(new Option('--status <status>', 'only jobs with this status').choices(JOB_STATUSES))
    .option('--project <name>', 'only jobs of this project')
    .option('--limit <n>', 'how many to list, 1 to 200', integerOption('--limit', 1, 200), 50)
    .option('--cursor <cursor>', 'next_cursor of the page before')
    .addHelpText(
      'after',
      `
Without --server a job lives as long as the command that made it; one that was cut off goes on with the next command
that makes a job.

Examples:
  $ faultline jobs --status failed
  $ faultline jobs show <id> --json
  $ faultline jobs follow <id>
  $ faultline jobs reply <id> --approve
  $ faultline jobs retry <id>`,
    )
    .action((options: ListOptions, command: Command) => run(command, session => list(session, options)))

  jobs
    .command('show <id>')
    .description('a job, how far it is and what came of it')
    .addHelpText('after', '\nExample:\n  $ faultline jobs show 4be1… --json')
    .action((id: string, _options: object, command: Command) => run(command, session => show(session, id)))

  addJobFollow(jobs, run)
  addJobReply(jobs, run)
  addJobContents(jobs, run)

  jobs
    .command('cancel <id>')
    .description('end a job at once, whatever it is doing')
    .addHelpText('after', '\nExample:\n  $ faultline jobs cancel 4be1… --server http://127.0.0.1:8000')
    .action((id: string, _options: object, command: Command) => run(command, session => cancel(session, id)))

  jobs
    .command('retry <id>')
    .description('start an ended job again as a new one, and wait for it')
    .option('--from-step <step>', 'do not repeat the finished steps before this one')
    .option('--detach', 'with a server: print the new job and do not wait for it')
    .addHelpText('after', '\nExample:\n  $ faultline jobs retry 4be1… --from-step index')
    .action((id: string, options: RetryOptions, command: Command) =>
      run(command, session => retry(session, id, options)),
    )

  jobs
    .command('events <id>')
    .description('what happened in a job')
    .option('--after <n>', 'only events with a greater number', integerOption('--after', 0, Number.MAX_SAFE_INTEGER), 0)
    .addHelpText('after', '\nExample:\n  $ faultline jobs events 4be1…')
    .action((id: string, options: { after: number }, command: Command) =>
      run(command, session => events(session, id, options.after)),
    )
}
