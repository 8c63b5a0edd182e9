import type { Command } from 'commander'
import type { Backend } from '../backend/backend.ts'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { hitsText } from '../../text/project-text.ts'
import { onlyProject } from '../only-project.ts'
import { indexHere, namedRepository, type RepoOptions } from '../index-here.ts'
import type { Run } from '../run.ts'
import { integerOption, READ, type Session } from '../session.ts'

interface SearchOptions extends RepoOptions {
  limit: number
}

async function projectIn(
  session: Session,
  backend: Backend,
  repository: string | null,
  isCommitted: boolean,
): Promise<string> {
  return repository === null ? onlyProject(backend) : indexHere(session, backend, repository, { isCommitted })
}

async function search(session: Session, query: string, options: SearchOptions): Promise<number> {
  if (query.trim() === '' || query.length > 2000) throw usageError('The query must have 1 to 2000 characters.')
  const { project, limit, committed: isCommitted = false } = options
  const repository = namedRepository(session, options)
  if (repository === null && isCommitted) throw usageError('--committed goes with --repo.', 'Add --repo PATH.')
  return session.withBackend(
    async backend => {
      const name = project ?? (await projectIn(session, backend, repository, isCommitted))
      const hits = await backend.search(name, query, limit, session.signal)
      session.output.result(hits, () => hitsText(hits, session.output.paint))
      return EXIT.done
    },
    repository === null ? READ : { localRepos: [repository], personal: true },
  )
}

/** Adds `faultline search`. */
export function addSearch(program: Command, run: Run): void {
  program
    .command('search <query>')
    .description(
      'search the code of a project by words, names, paths and similarity; text in double quotes is found as it is',
    )
    .option('--project <name>', 'project to search; may be left out when there is only one')
    .option('--repo <path>', 'repository on this machine: indexed when needed, outside of it, as it is on the disk')
    .option('--committed', 'with --repo: search the last commit, without what is changed on the disk since')
    .option('--limit <n>', 'how many hits, 1 to 200', integerOption('--limit', 1, 200), 20)
    .addHelpText(
      'after',
      `
Examples:
  $ faultline search "parse price" --project shop
  $ faultline search "parse price" --repo .
  $ faultline search src/shop/cart.py:12
  $ faultline search '"raise ValueError(" price' --limit 5 --json`,
    )
    .action((query: string, options: SearchOptions, command: Command) =>
      run(command, session => search(session, query, options)),
    )
}
