import { resolutionMarkdown } from '../markdown/resolution.ts'
import { escapeLine } from '../markdown/escape.ts'
import { onlyShown } from '../markdown/forge-safe.ts'
import { cutText, findingsOf, findingText, leftText, NO_FAULT_TEXT, type CiReport, type Finding } from './finding.ts'

/** What a comment of GitHub may hold is 65,536 characters; a step's summary and a note of GitLab hold a megabyte. */
const MAX_CHARS = 60_000
/** Twenty of them fit beside one fault that is told at length. */
const MAX_BRIEF_CHARS = 1_500
/** The line by which a bot finds the comment that it wrote before. */
export const commentMarker = (projectName: string): string => `<!-- faultline ${projectName} -->`

/** A fault without its code. */
const inBrief = (finding: Finding): string =>
  cutText(findingText(finding).split('\n').map(escapeLine).join('\\\n'), MAX_BRIEF_CHARS)

/** A report in Markdown: a comment, or the summary of a step. Of what is too long the code is left out. */
export function ciComment(report: CiReport): string {
  const { resolutions, left, projectName } = report
  const findings = findingsOf(report)
  const parts = findings.length === 0 ? [NO_FAULT_TEXT] : []
  let room = MAX_CHARS
  for (const [at, resolution] of resolutions.entries()) {
    const whole = onlyShown(resolutionMarkdown(resolution))
    const kept = (resolutions.length - at - 1) * MAX_BRIEF_CHARS // for the others
    const brief = findings
      .slice(at, at + 1)
      .map(inBrief)
      .join('')
    const part = whole.length + kept <= room ? whole : onlyShown(brief)
    parts.push(part)
    room -= part.length
  }
  return [commentMarker(projectName), ...parts, ...(left === 0 ? [] : [leftText(left)])].join('\n\n')
}
