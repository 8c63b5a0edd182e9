import type { Command } from 'commander'
import type { Direction, MoveProgress, MoveReport } from '../../services/move.ts'
import { bytes as bytesText, columns, timeText } from '../../text/table.ts'
import { printableLine } from '../../text/terminal-text.ts'
import { usageError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import type { Session } from '../session.ts'

interface MoveOptions {
  toCluster?: boolean
  fromCluster?: boolean
  check?: boolean
  undo?: boolean
}

function directionOf({ toCluster = false, fromCluster = false }: MoveOptions): Direction {
  if (toCluster !== fromCluster) return toCluster ? 'to_cluster' : 'from_cluster'
  throw usageError('Say where to: --to-cluster or --from-cluster.', 'faultline move --help has examples.')
}

const DOING = { look: 'looking at', move: 'moving', check: 'comparing' } as const

const progressText = ({ part, doing, done, total }: MoveProgress): string =>
  `${DOING[doing]} ${part}${doing === 'look' || total === 0 ? '' : `: ${done} of ${total}`}`

const lines = (texts: readonly string[]): string => texts.map(text => `  ${printableLine(text)}`).join('\n')

function partsText({ parts }: MoveReport): string {
  return columns(
    parts.map(({ name, items, bytes, notes }) => [
      `  ${name}`,
      String(items),
      [...(bytes === null ? [] : [bytesText(bytes)]), ...notes].map(printableLine).join(', '),
    ]),
  )
}

function checksText({ checks }: MoveReport): string {
  return checks
    .map(({ name, same, differences, figures = {} }) => {
      const own = Object.entries(figures).map(([what, count]) => `${what} ${count}`)
      const more = own.length === 0 ? '' : ` (${own.join(', ')})`
      return [`  ${name}: ${same} the same${more}`, ...differences.map(text => `    ${printableLine(text)}`)].join('\n')
    })
    .join('\n')
}

/** What to do after everything is there. */
const NEXT: Readonly<Record<Direction, string>> = {
  to_cluster:
    'Start the nodes, each with folders of its own. The folders of the single machine are an old copy now: a server ' +
    'that starts on them says so.',
  from_cluster:
    'Start the single server on these folders, without DATABASE_URL. The cluster is an old copy now: a node that ' +
    'starts on it says so.',
}

/** @returns Text for people. */
function reportText(report: MoveReport): string {
  const { direction, outcome, obstacles, isContinued } = report
  const where = direction === 'to_cluster' ? 'to the cluster' : 'to the folders'
  switch (outcome) {
    case 'possible':
      return `To be moved ${where}:\n${partsText(report)}\nNothing lies in the way.`
    case 'refused': {
      const found = lines(obstacles.flatMap(({ message, fix }) => [message, `  fix: ${fix}`]))
      return `Nothing was moved. In the way:\n${found}`
    }
    case 'already_moved':
      return `Everything was moved ${where} already.\n${NEXT[direction]}`
    case 'differs':
      return (
        `Not everything is the same on both sides:\n${checksText(report)}\n` +
        'Nothing was switched over. Run it again; what is there already is not moved again.'
      )
    case 'moved': {
      const moved = isContinued ? 'Went on, and moved' : 'Moved'
      return `${moved} everything ${where}.\n${checksText(report)}\n${NEXT[direction]}`
    }
  }
}

/** The report as `--json` prints it. */
const toWire = ({ direction, outcome, isContinued, parts, obstacles, checks }: MoveReport) => ({
  direction,
  outcome,
  continued: isContinued,
  parts: parts.map(({ name, items, bytes, notes }) => ({ name, items, bytes, notes })),
  obstacles,
  checks,
})

async function undo({ flags, cwd, output }: Session, direction: Direction): Promise<number> {
  const [{ loadConfig }, { undoMove }] = await Promise.all([
    import('../../config.ts'),
    import('../../services/move.ts'),
  ])
  const undone = await undoMove(loadConfig({ flags, cwd }), direction)
  output.result({ direction, undone: undone !== null, was_over: undone?.wasOver ?? null }, () => {
    if (undone === null) return 'There is nothing to undo.'
    const source = direction === 'to_cluster' ? 'folders' : 'cluster'
    const since = timeText(undone.since)
    if (!undone.wasOver) return `The move of ${since} is given up; the ${source} can be used as before.`
    return (
      `The ${source} can be used again as they were at ${since}. What the other side has done since then stays ` +
      'there; do not let both work.'
    )
  })
  return EXIT.done
}

async function moveNow(session: Session, options: MoveOptions): Promise<number> {
  const { flags, cwd, output, signal } = session
  const { check = false } = options
  const direction = directionOf(options)
  if (options.undo === true) return await undo(session, direction)
  const [{ loadConfig }, { move }] = await Promise.all([import('../../config.ts'), import('../../services/move.ts')])
  const config = loadConfig({ flags, cwd })
  const progress = output.progress()
  const warn = (_context: object, message: string) => output.warn(message)
  let report: MoveReport
  try {
    report = await move(config, {
      direction,
      checkOnly: check,
      signal,
      log: { info() {}, warn, error: warn },
      onProgress: latest => progress.show(progressText(latest)),
    })
  } finally {
    progress.end()
  }
  output.result(toWire(report), () => reportText(report))
  return report.outcome === 'refused' || report.outcome === 'differs' ? EXIT.failed : EXIT.done
}

/** Adds `faultline move`. */
export function addMove(program: Command, run: Run): void {
  program
    .command('move')
    .description('take what a single machine has over into a cluster (DATABASE_URL), or back')
    .option('--to-cluster', 'from DATA_DIR, VECTOR_STORE_DIR and CLONED_REPOS_DIR to DATABASE_URL and OBJECT_STORE_URL')
    .option('--from-cluster', 'the other way, into empty folders')
    .option('--check', 'change nothing, and say what would be moved and what lies in the way')
    .option('--undo', 'go on with the source of a move as it was; nothing is copied')
    .addHelpText(
      'after',
      `
The server, or all nodes, have to be stopped. The cluster, or the folders, have to be empty. Both sides are compared at
the end, and only then the source says that it is an old copy; nothing of it is deleted. What was cut off goes on when
the command runs again.

Examples:
  $ faultline move --to-cluster --check
  $ faultline move --to-cluster --data-dir ~/faultline
  $ faultline move --from-cluster --data-dir ~/back
  $ faultline move --to-cluster --undo`,
    )
    .action((options: MoveOptions, command: Command) => run(command, session => moveNow(session, options)))
}
