import { printable } from '../terminal-text.ts'
import { ciComment } from './comment.ts'
import { findingsOf, findingText, type CiReport, type Finding } from './finding.ts'

/** A place in a file, with what is said of it. */
interface Annotation {
  path: string
  startLine: number
  endLine: number
  level: 'failure' | 'warning' | 'notice'
  title: string
  message: string
}

/** What a check run says of a commit. */
interface CheckText {
  title: string
  /** Markdown. */
  summary: string
  annotations: Annotation[]
}

function annotationsOf(finding: Finding): Annotation[] {
  const { failing, likely, title } = finding
  const first: Annotation[] =
    failing === null
      ? []
      : [
          {
            path: failing.path,
            startLine: failing.startLine,
            endLine: failing.endLine,
            level: 'failure',
            title,
            message: printable(findingText(finding)),
          },
        ]
  const others = likely.map(({ path, startLine, endLine, why }, at): Annotation => ({
    path,
    startLine,
    endLine,
    level: at === 0 ? 'warning' : 'notice',
    title: 'A likely cause',
    message: printable(`The cause of "${title}" may be here: ${why}`),
  }))
  return [...first, ...others]
}

function titleOf([first, ...others]: readonly Finding[]): string {
  if (first === undefined) return 'No fault was found in the log'
  return others.length === 0 ? first.title : `${first.title}, and ${others.length} more`
}

/** A report as a check run of GitHub: the comment as its summary, and the places beside the diff. */
export function checkRunText(report: CiReport): CheckText {
  const findings = findingsOf(report)
  return { title: titleOf(findings), summary: ciComment(report), annotations: findings.flatMap(annotationsOf) }
}
