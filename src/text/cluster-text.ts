import type { ClusterAnswer, NodeAnswer } from '../contract/cluster.ts'
import type { Paint } from './paint.ts'
import { bytes, columns, count, timeText } from './table.ts'
import { printableLine } from './terminal-text.ts'

function stateOf({ alive, draining, heartbeat_age_s: age }: NodeAnswer, paint: Paint): string {
  if (!alive) return paint('red', `dead for ${Math.round(age)} s`)
  return draining ? paint('yellow', 'draining') : paint('green', 'alive')
}

function cacheText({ cache_bytes: used, cache_limit_bytes: limit }: NodeAnswer['load']): string {
  return limit === 0 ? bytes(used) : `${bytes(used)} of ${bytes(limit)}`
}

function nodeRow(node: NodeAnswer, paint: Paint): string[] {
  const { running_jobs: running, job_slots: slots, cpu_cores: cores, open_streams: streams } = node.load
  return [
    paint('bold', printableLine(node.name)) + (node.self ? ' *' : ''),
    node.roles.join(', '),
    stateOf(node, paint),
    slots === 0 ? '-' : `${running} of ${slots}`,
    cores.toFixed(1),
    bytes(node.load.memory_bytes),
    String(streams),
    String(node.load.projects_cached),
    cacheText(node.load),
    printableLine(node.version),
    timeText(node.since),
  ]
}

const HEADINGS = [
  'node',
  'roles',
  'state',
  'jobs',
  'cores',
  'memory',
  'streams',
  'projects',
  'cache',
  'version',
  'since',
]

/** The nodes as a table, the one that answered with a star, and under it the queue and the database. */
export function clusterText({ nodes, queue, database }: ClusterAnswer, paint: Paint): string {
  const oldest = queue.oldest_s === null ? '' : `, the oldest for ${Math.round(queue.oldest_s)} s`
  const schema = database.schema_version === null ? '' : `, schema ${database.schema_version}`
  const status = database.status === 'ok' ? 'ok' : paint('red', database.status)
  return [
    columns([HEADINGS.map(heading => paint('dim', heading)), ...nodes.map(node => nodeRow(node, paint))]),
    '',
    `Queue: ${count(queue.queued, 'job')} queued${oldest}, ${queue.running} running, ` +
      `${queue.waiting} waiting for a person.`,
    `Database: ${database.kind === 'sqlite' ? 'SQLite' : 'PostgreSQL'}, ${status}${schema}.`,
  ].join('\n')
}
