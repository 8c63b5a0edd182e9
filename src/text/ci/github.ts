import { printable } from '../terminal-text.ts'
import { findingsOf, findingText, leftText, NO_FAULT_TEXT, type CiReport, type Finding } from './finding.ts'

type Level = 'error' | 'warning' | 'notice'

const DATA: Readonly<Record<string, string>> = { '%': '%25', '\r': '%0D', '\n': '%0A' }
const PROPERTY: Readonly<Record<string, string>> = { ...DATA, ':': '%3A', ',': '%2C' }

/** Text behind the second `::` of a workflow command. */
const dataText = (text: string): string => printable(text).replace(/[%\r\n]/g, sign => DATA[sign] ?? '')
const propertyText = (text: string): string => printable(text).replace(/[%\r\n:,]/g, sign => PROPERTY[sign] ?? '')

/** A workflow command on one line; no text of a trace can end it or begin another one. */
function command(level: Level, message: string, properties: Readonly<Record<string, string | number>>): string {
  const list = Object.entries(properties).map(([name, value]) => `${name}=${propertyText(String(value))}`)
  return `::${level} ${list.join(',')}::${dataText(message)}`
}

function annotations(finding: Finding): string[] {
  const { failing, likely, title } = finding
  const first =
    failing === null
      ? command('warning', findingText(finding), { title })
      : command('error', findingText(finding), {
          file: failing.path,
          line: failing.startLine,
          endLine: failing.endLine,
          title,
        })
  const others = likely.map(({ path, startLine, endLine, why }, at) =>
    command(at === 0 ? 'warning' : 'notice', `The cause of "${title}" may be here: ${why}`, {
      file: path,
      line: startLine,
      endLine,
      title: 'A likely cause',
    }),
  )
  return [first, ...others]
}

/** A report as annotations of GitHub: workflow commands, which its runners read from the output of a step. */
export function githubCommands(report: CiReport): string {
  const findings = findingsOf(report)
  const title = 'Faultline'
  if (findings.length === 0) return `${command('notice', NO_FAULT_TEXT, { title })}\n`
  const more = report.left === 0 ? [] : [command('notice', leftText(report.left), { title })]
  return [...findings.flatMap(annotations), ...more, ''].join('\n')
}
