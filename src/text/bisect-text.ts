import type { BisectAnswer } from '../contract/bisect.ts'
import type { Paint } from './paint.ts'
import { columns, count, milliseconds, shortCommit } from './table.ts'
import { printableLine } from './terminal-text.ts'

type Named = BisectAnswer['candidates'][number]
type Probe = BisectAnswer['probes'][number]

const MAX_LISTED = 20

const COLOURS = { good: 'green', bad: 'red', skipped: 'yellow' } as const

const commitRow = ({ commit, date, author, summary }: Named, paint: Paint): string[] => [
  `  ${paint('yellow', shortCommit(commit))}`,
  date.slice(0, 10),
  printableLine(author),
  printableLine(summary),
]

function commitList(commits: readonly Named[], total: number, paint: Paint): string[] {
  const left = total - Math.min(commits.length, MAX_LISTED)
  return [
    columns(commits.slice(0, MAX_LISTED).map(commit => commitRow(commit, paint))),
    ...(left === 0 ? [] : [paint('dim', `  and ${left} more`)]),
  ]
}

function probeRow({ commit, outcome, exit_code: code, duration_ms: ms, reason }: Probe, paint: Paint): string[] {
  const said = reason === undefined ? `exit code ${code}` : printableLine(reason)
  return [`  ${paint(COLOURS[outcome], outcome)}`, shortCommit(commit), said, paint('dim', milliseconds(ms))]
}

/** The commit that broke something, or those that it may be, and each run. */
export function bisectText(result: BisectAnswer, paint: Paint): string {
  const { first_bad: first, candidates, candidates_total: total, probes, commits, skipped } = result
  const found =
    first === null
      ? [
          paint('yellow', `Only skipped commits are left. The first bad commit is one of these ${total}:`),
          ...commitList(candidates, total, paint),
        ]
      : [paint('bold', 'The first bad commit:'), ...commitList([first], 1, paint)]
  const without = skipped.length === 0 ? '' : `, ${count(skipped.length, 'commit')} skipped`
  return [
    ...found,
    `${count(probes.length, 'run')} for ${count(commits, 'commit')}${without}:`,
    columns(probes.map(probe => probeRow(probe, paint))),
  ].join('\n')
}
