import type { ResolutionRow } from '../contract/kept-resolution.ts'
import type { Paint } from './paint.ts'
import { columns } from './table.ts'
import { printableLine } from './terminal-text.ts'

type Feedback = ResolutionRow['feedback'][number]

const verdict = ({ helpful }: Feedback, paint: Paint): string =>
  helpful ? paint('green', 'helpful') : paint('red', 'not helpful')

/** Kept answers as a table. */
export function resolutionsTable(rows: readonly ResolutionRow[], paint: Paint): string {
  if (rows.length === 0) return 'No kept answers.'
  return columns(
    rows.map(({ id, at, project_name: project, title, answer_status: status, feedback }) => [
      id,
      paint('dim', at),
      paint('bold', project),
      status,
      feedback.map(one => verdict(one, paint)).join(', ') || '-',
      printableLine(title),
    ]),
  )
}
