import type { Command } from 'commander'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import { hitsText } from '../../text/project-text.ts'
import { onlyProject } from '../only-project.ts'
import type { Run } from '../run.ts'
import { integerOption, type Session } from '../session.ts'

interface SearchOptions {
  project?: string
  limit: number
}

async function search(session: Session, query: string, { project, limit }: SearchOptions): Promise<number> {
  if (query.trim() === '' || query.length > 2000) throw usageError('The query must have 1 to 2000 characters.')
  return session.withBackend(async backend => {
    const hits = await backend.search(project ?? (await onlyProject(backend)), query, limit, session.signal)
    session.output.result(hits, () => hitsText(hits, session.output.paint))
    return EXIT.done
  })
}

/** Adds `faultline search`. */
export function addSearch(program: Command, run: Run): void {
  program
    .command('search <query>')
    .description(
      'search the code of a project by words, names, paths and similarity; text in double quotes is found as it is',
    )
    .option('--project <name>', 'project to search; may be left out when there is only one')
    .option('--limit <n>', 'how many hits, 1 to 200', integerOption('--limit', 1, 200), 20)
    .addHelpText(
      'after',
      `
Examples:
  $ faultline search "parse price" --project shop
  $ faultline search src/shop/cart.py:12
  $ faultline search '"raise ValueError(" price' --limit 5 --json`,
    )
    .action((query: string, options: SearchOptions, command: Command) =>
      run(command, session => search(session, query, options)),
    )
}
