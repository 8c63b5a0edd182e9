import type { ResolutionRow } from '../contract/kept-resolution.ts'
import type { Paint } from './paint.ts'
import { columns } from './table.ts'
import { printableLine } from './terminal-text.ts'

type Feedback = ResolutionRow['feedback'][number]

const verdict = ({ helpful }: Feedback, paint: Paint): string =>
  helpful ? paint('green', 'helpful') : paint('red', 'not helpful')

function feedbackLine(feedback: Feedback, paint: Paint): string {
  const { at, comment, actual_path: path } = feedback
  const words = [
    verdict(feedback, paint),
    ...(path === null ? [] : [`the file was ${printableLine(path)}`]),
    ...(comment === null ? [] : [printableLine(comment)]),
  ]
  return `${paint('dim', at)}  ${words.join('; ')}`
}

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

/** What people said of an answer, a line each; empty where nobody did. */
export const feedbackText = (feedback: readonly Feedback[], paint: Paint): string =>
  feedback.map(one => feedbackLine(one, paint)).join('\n')
