import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import type { JobAnswer } from '../../contract/job.ts'
import type { CloneAnswer } from '../../contract/project.ts'
import type { Backend } from '../backend/backend.ts'
import { withCommands } from '../advice.ts'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { cloneText, jobText } from '../../text/job-text.ts'
import { projectForFile, repositoryArgument, repositoryFile } from '../files/repository-here.ts'
import { accessFor, followJob, reportJob, type Session } from '../session.ts'
import type { Run } from '../run.ts'

interface CloneOptions {
  project?: string
  branch?: string
  ref?: string
  include?: string[]
  exclude?: string[]
  detach?: boolean
  /** False: --no-history. */
  history: boolean
}

const cloneReport = (job: JobAnswer, { output }: Session): string => {
  const result = job.result as CloneAnswer
  const next = `Next: npm test 2>&1 | faultline resolve - --project ${result.project_name}`
  return `${cloneText(result, output.paint)}\n${output.paint('dim', next)}`
}

/** Says what came of a job that succeeded, and returns the exit code. */
export function reportClone(session: Session, job: JobAnswer): number {
  session.output.result(job, () => cloneReport(job, session))
  return EXIT.done
}

/** Waits for history and tags, which follow the index; a server continues with them, but this process would end. */
async function finishHistory({ output, signal }: Session, backend: Backend): Promise<number> {
  const progress = output.progress()
  progress.show('clone: history')
  await backend.finishBackgroundWork(signal)
  progress.end()
  return signal.aborted ? EXIT.interrupted : EXIT.done
}

/** The body of a request without fields that were not given. */
function withoutUndefined<T extends object>(body: T): T {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)) as T
}

/** A path that leads nowhere is a slip of the pen; a server may have what this machine lacks. */
function needPath({ isRemote }: Session, given: string, localPath: string | null): void {
  if (isRemote || localPath === null || existsSync(localPath)) return
  throw usageError(
    `There is nothing at ${JSON.stringify(given)}.`,
    'Name a repository on this machine, or an address such as https://github.com/pallets/flask.git.',
  )
}

async function clone(session: Session, given: string, options: CloneOptions): Promise<number> {
  const file = repositoryFile(given, session.cwd)
  const { url, localPath } = repositoryArgument(given, session.cwd)
  needPath(session, given, localPath)
  const { project, branch, ref, include, exclude } = options
  const name = project ?? projectForFile(given)
  const choice = withoutUndefined({ branch, ref, include, exclude })
  return session.withBackend(
    async backend => {
      const job =
        file === null
          ? await backend.clone(withoutUndefined({ url, project_name: project, ...choice }))
          : await backend.upload(name, file, choice, session.signal)
      if (options.detach === true) {
        session.output.result(job, () => jobText(withCommands(job), session.output.paint))
        return EXIT.done
      }
      const ended = await followJob(session, backend, job)
      const exitCode = reportJob(session, ended, done => cloneReport(done, session))
      if (exitCode === EXIT.done && options.history) return finishHistory(session, backend)
      return exitCode
    },
    {
      localRepos: localPath === null || file !== null ? [] : [localPath],
      access: accessFor(options.detach),
    },
  )
}

/** Adds `faultline clone`. */
export function addClone(program: Command, run: Run): void {
  program
    .command('clone <url>')
    .description('clone a repository and index it; the same repository again updates it')
    .option('--project <name>', 'name of the project; default: the name of the repository')
    .option('--branch <name>', 'branch to index; default: the one that the remote names')
    .option('--ref <ref>', 'commit or tag to index instead of the head of the branch')
    .option('--include <globs...>', 'only files that match one of these globs')
    .option('--exclude <globs...>', 'no file that matches one of these globs')
    .option('--no-history', 'leave the history and the tags for another time')
    .option('--detach', 'with a server: print the job and do not wait for it')
    .addHelpText(
      'after',
      `
The URL is https://…, ssh://…, user@host:path, or the path of a repository on this machine. The address of a page
of GitHub, GitLab, Bitbucket or Gitea will do, too: its branch is indexed, and of a folder only that. A file is a git
bundle, or a .tar.gz of a repository or of plain files; with --server it is uploaded.

Examples:
  $ faultline clone https://github.com/pallets/flask.git
  $ faultline clone git@github.com:acme/shop.git --branch main --project shop
  $ faultline clone ../shop --json
  $ faultline clone ./shop.bundle
  $ faultline clone https://github.com/acme/shop.git --server http://127.0.0.1:8000 --detach`,
    )
    .action((url: string, options: CloneOptions, command: Command) =>
      run(command, session => clone(session, url, options)),
    )
}
