// A history of jobs on several workers among random faults (kill -9, stopped processes, cut networks, late and lost
// COMMITs, a killed database), and what it has that it must not have: steps done twice, gaps between events, jobs of
// one key at once, writes of a worker that had lost its job.
// With --standby the faults are killed and stopped workers, and a standby that takes over in the middle.
// usage: node bench/history.bench.ts [--jobs 1000] [--workers 3] [--seed 1] [--version 18] [--standby] [--quiet]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runHistory } from '../test/helpers/cluster/history.ts'

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '1000' },
    workers: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    version: { type: 'string', default: '18' },
    standby: { type: 'boolean', default: false },
    quiet: { type: 'boolean', default: false },
  },
})
const root = mkdtempSync(join(tmpdir(), 'faultline-history-'))
const history = await runHistory({
  jobs: Number(values.jobs),
  workers: Number(values.workers),
  seed: Number(values.seed),
  version: values.version === '15' ? 15 : 18,
  maxStepMs: 600,
  standby: values.standby,
  root,
  say: line => {
    if (!values.quiet) console.error(line)
  },
})
const faults = Object.entries(history.faults).map(([kind, times]) => `${times} ${kind}`)
console.log(
  `seed ${values.seed}, PostgreSQL ${values.version}: ${values.jobs} jobs on ${values.workers} workers in ` +
    `${Math.round(history.seconds)} s, ${history.claims} claims; faults: ${faults.join(', ')}; ` +
    `${history.lateCommits} COMMITs late or lost; ${history.entriesLeft} entries left`,
)
for (const violation of history.violations) console.log(`VIOLATION ${violation}`)
console.log(`${history.violations.length} violations`)
rmSync(root, { recursive: true, force: true })
process.exitCode = history.violations.length === 0 ? 0 : 1
