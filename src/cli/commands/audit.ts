import type { Command } from 'commander'
import { EXIT } from '../exit-codes.ts'
import { auditTable } from '../../text/audit-text.ts'
import type { Run } from '../run.ts'
import { integerOption, READ, type Session } from '../session.ts'

interface AuditOptions {
  project?: string
  key?: string
  action?: string
  limit: number
  cursor?: string
}

function list(session: Session, { project, ...query }: AuditOptions): Promise<number> {
  return session.withBackend(async backend => {
    const page = await backend.listAudit({ ...query, project_name: project })
    session.output.result(page, () => auditTable(page.data, session.output.paint))
    if (page.next_cursor !== null) session.output.note(`There are more: --cursor ${page.next_cursor}`)
    return EXIT.done
  }, READ)
}

/** Adds `faultline audit`. */
export function addAudit(program: Command, run: Run): void {
  program
    .command('audit')
    .description('who changed, deleted, ran or approved what, newest first')
    .option('--project <name>', 'only what was done to this project')
    .option('--key <name>', 'only what this key did; "cli" is the command line')
    .option('--action <action>', 'only this action, or those that begin with it: reply, or reply.approve')
    .option('--limit <n>', 'how many to list, 1 to 200', integerOption('--limit', 1, 200), 50)
    .option('--cursor <cursor>', 'next_cursor of the page before')
    .addHelpText(
      'after',
      `
Examples:
  $ faultline audit --project shop
  $ faultline audit --action reply --json
  $ faultline audit --action refused --server http://127.0.0.1:8000`,
    )
    .action((options: AuditOptions, command: Command) => run(command, session => list(session, options)))
}
