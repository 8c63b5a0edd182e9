import { createHash } from 'node:crypto'
import { findingsOf, type CiReport, type Finding } from './finding.ts'
import { printableLine } from '../terminal-text.ts'

/** An entry of GitLab's code quality report. */
interface CodeQualityIssue {
  description: string
  check_name: string
  fingerprint: string
  severity: 'critical' | 'minor' | 'info'
  location: { path: string; lines: { begin: number; end: number } }
}

const hash = (parts: ReadonlyArray<string | number>): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex')

function issuesOf({ failing, likely, title, fingerprint, count, type }: Finding): CodeQualityIssue[] {
  const key = fingerprint ?? title
  const times = count > 1 ? ` (${count} times)` : ''
  const error: CodeQualityIssue[] =
    failing === null
      ? []
      : [
          {
            description: `${title}${times}`,
            check_name: type,
            fingerprint: hash([key, 'failing', failing.path]),
            severity: 'critical',
            location: { path: failing.path, lines: { begin: failing.startLine, end: failing.endLine } },
          },
        ]
  const causes = likely.map(({ path, startLine, endLine, why }, at): CodeQualityIssue => ({
    description: printableLine(`The cause of "${title}" may be here: ${why}`),
    check_name: `likely cause of ${type}`,
    fingerprint: hash([key, 'likely', path, startLine]),
    severity: at === 0 ? 'minor' : 'info',
    location: { path, lines: { begin: startLine, end: endLine } },
  }))
  return [...error, ...causes]
}

/**
 * A report as GitLab's code quality report, which has places only: what no file of the project is at fault for is left
 * out. A fault keeps its fingerprint when lines shift.
 */
export function codeQualityReport(report: CiReport): CodeQualityIssue[] {
  const issues = new Map(
    findingsOf(report)
      .flatMap(issuesOf)
      .map(issue => [issue.fingerprint, issue]),
  )
  return [...issues.values()]
}
