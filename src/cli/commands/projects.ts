import type { Command } from 'commander'
import { FaultlineError } from '../../core/errors.ts'
import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/job.ts'
import type { Backend } from '../backend/backend.ts'
import { projectWithCommands } from '../advice.ts'
import { canAsk, confirm } from '../ask.ts'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { projectsTable, projectText } from '../../text/project-text.ts'
import type { Run } from '../run.ts'
import { integerOption, READ, type Session } from '../session.ts'

interface ListOptions {
  limit: number
  cursor?: string
}

function list(session: Session, options: ListOptions): Promise<number> {
  return session.withBackend(async backend => {
    const page = await backend.listProjects(options)
    session.output.result(page, () => projectsTable(page.data, session.output.paint))
    if (page.next_cursor !== null) session.output.note(`There are more: --cursor ${page.next_cursor}`)
    return EXIT.done
  }, READ)
}

function show(session: Session, name: string): Promise<number> {
  return session.withBackend(async backend => {
    const project = await backend.getProject(name)
    session.output.result(project, () => projectText(projectWithCommands(project), session.output.paint))
    return EXIT.done
  }, READ)
}

function settings(text: string): JsonObject {
  try {
    const body: unknown = JSON.parse(text)
    if (isObject(body) && Object.keys(body).length > 0) return body as JsonObject
  } catch {
    // said below
  }
  throw usageError(
    `${JSON.stringify(text)} is no JSON object with settings.`,
    `faultline projects set shop '{"sync": {"every": "15m"}}'`,
  )
}

async function change(session: Session, name: string, text: string): Promise<number> {
  const body = settings(text)
  return session.withBackend(async backend => {
    const project = await backend.changeProject(name, body)
    session.output.result(project, () => projectText(projectWithCommands(project), session.output.paint))
    return EXIT.done
  })
}

interface DeleteOptions {
  yes?: boolean
  purge?: boolean
}

/** The stored name; a project that was deleted before can still be purged, under the name that was given. */
async function nameToDelete(backend: Backend, name: string, purge: boolean): Promise<string> {
  try {
    return (await backend.getProject(name)).project_name
  } catch (error) {
    if (purge && error instanceof FaultlineError && error.code === 'PROJECT_NOT_FOUND') return name
    throw error
  }
}

function remove(session: Session, name: string, { yes = false, purge = false }: DeleteOptions): Promise<number> {
  return session.withBackend(async backend => {
    const projectName = await nameToDelete(backend, name, purge)
    const what = purge
      ? 'its index, its clones, its jobs and what the audit log says of it'
      : 'its index and its clones'
    if (!yes && !canAsk(session)) {
      throw usageError('Deleting asks first, and there is no terminal to ask on.', 'Add --yes.')
    }
    if (!yes && !(await confirm(session, `Delete the project ${projectName}, ${what}?`))) {
      session.output.note('Nothing was deleted.')
      return EXIT.failed
    }
    await backend.deleteProject(projectName, { purge })
    session.output.result({ project_name: projectName, deleted: true, purged: purge }, () =>
      purge ? `Purged ${projectName}.` : `Deleted ${projectName}.`,
    )
    return EXIT.done
  })
}

/** Adds `faultline projects` and its subcommands. */
export function addProjects(program: Command, run: Run): void {
  const projects = program
    .command('projects')
    .description('list the projects; show, set or delete one')
    .option('--limit <n>', 'how many to list, 1 to 200', integerOption('--limit', 1, 200), 200)
    .option('--cursor <cursor>', 'next_cursor of the page before')
    .addHelpText(
      'after',
      `
Examples:
  $ faultline projects
  $ faultline projects show shop --json
  $ faultline projects delete shop --yes`,
    )
    .action((options: ListOptions, command: Command) => run(command, session => list(session, options)))

  projects
    .command('show <name>')
    .description('what a project holds and whether it can be searched')
    .addHelpText('after', '\nExample:\n  $ faultline projects show shop')
    .action((name: string, _options: object, command: Command) => run(command, session => show(session, name)))

  projects
    .command('set <name> <settings>')
    .description('change the settings of a project: a JSON object with those that change')
    .addHelpText(
      'after',
      `
The settings are path_mappings, in_app_exclude, checks, sync, ci_comments, allowed_paths, features, migrations,
deploy_url, notify and callback_url; null unsets one that may be unset.

Examples:
  $ faultline projects set shop '{"sync": {"every": "15m"}}'
  $ faultline projects set shop '{"checks": {"lint": "npx eslint --fix ."}}'
  $ faultline projects set shop '{"path_mappings": [{"from": "/app/", "to": "src/"}]}'`,
    )
    .action((name: string, text: string, _options: object, command: Command) =>
      run(command, session => change(session, name, text)),
    )

  projects
    .command('delete <name>')
    .description('delete a project, its index and the clones that no other project uses')
    .option('--yes', 'do not ask')
    .option('--purge', 'also delete its jobs, their transcripts and files, and what the audit log says of it')
    .addHelpText('after', '\nExample:\n  $ faultline projects delete shop --yes')
    .action((name: string, options: DeleteOptions, command: Command) =>
      run(command, session => remove(session, name, options)),
    )
}
