import type { AuditAnswer } from '../contract/audit.ts'
import type { Paint } from './paint.ts'
import { columns } from './table.ts'
import { printableLine } from './terminal-text.ts'

/** The entries of an audit log as a table. */
export function auditTable(entries: AuditAnswer[], paint: Paint): string {
  if (entries.length === 0) return 'Nothing was done.'
  return columns(
    entries.map(({ at, key, action, project_name: projectName, target, outcome }) => [
      paint('dim', at),
      printableLine(key ?? '-'),
      paint('bold', printableLine(action)),
      printableLine(projectName ?? '-'),
      outcome === 'done' ? outcome : paint('red', printableLine(outcome)),
      printableLine(target ?? '-'),
    ]),
  )
}
