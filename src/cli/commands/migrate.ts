import type { Command } from 'commander'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import type { Session } from '../session.ts'

interface MigrateOptions {
  check?: boolean
}

const listed = (names: readonly string[]): string => names.map(name => `  ${name}`).join('\n')

async function migrate({ flags, cwd, output }: Session, { check = false }: MigrateOptions): Promise<number> {
  const { loadConfig } = await import('../../config.ts')
  const { database } = loadConfig({ flags, cwd })
  if (database === null) {
    throw usageError(
      'No DATABASE_URL is set: the file of a single server is brought up to date when it starts.',
      'Set DATABASE_URL.',
    )
  }
  const { databaseState, migrateDatabase } = await import('../../services/postgres-stores.ts')
  const { version, newest, applied, pending } = await (check ? databaseState(database) : migrateDatabase(database))
  output.result({ schema: database.schema, version, newest, applied, pending }, () => {
    if (pending.length > 0) return `The schema has version ${version}. To be applied:\n${listed(pending)}`
    if (applied.length > 0) return `Applied:\n${listed(applied)}\nThe schema has version ${version}.`
    return `There is nothing to do: the schema has version ${version}.`
  })
  return pending.length > 0 ? EXIT.failed : EXIT.done
}

/** Adds `faultline migrate`. */
export function addMigrate(program: Command, run: Run): void {
  program
    .command('migrate')
    .description('bring the schema of the database (DATABASE_URL) up to date')
    .option('--check', 'change nothing, and say what would be applied')
    .addHelpText(
      'after',
      `
A server does it at its start, too, unless DATABASE_MIGRATE=false. Nodes of this release and of the one before work with
the schema. With --check exit code 1 when there is something to apply.

Examples:
  $ faultline migrate
  $ faultline migrate --check --json`,
    )
    .action((options: MigrateOptions, command: Command) => run(command, session => migrate(session, options)))
}
