import type { Command } from 'commander'
import { clusterText } from '../../text/cluster-text.ts'
import { EXIT } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { READ, type Session } from '../session.ts'

function show(session: Session): Promise<number> {
  return session.withBackend(async backend => {
    const cluster = await backend.cluster()
    session.output.result(cluster, () => clusterText(cluster, session.output.paint))
    return EXIT.done
  }, READ)
}

/** Adds `faultline cluster`. */
export function addCluster(program: Command, run: Run): void {
  program
    .command('cluster')
    .description('the nodes that work on one database, what they do, and the queue')
    .addHelpText(
      'after',
      `
A star marks the node that answered. Nodes that have died are listed for a day.

Examples:
  $ faultline cluster --server http://127.0.0.1:8000
  $ faultline cluster --json`,
    )
    .action((_options: object, command: Command) => run(command, session => show(session)))
}
