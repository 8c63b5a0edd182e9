// Kills the server with SIGKILL at random moments, many times: of clone jobs, or of jobs of all kinds: that wait for
// people, keep files, spend, run programs, clone and resolve.
// usage: node bench/kill.bench.ts [rounds] [seed] [clone|jobs]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jobKillRounds } from '../test/helpers/job-kill-rounds.ts'
import { killRounds } from '../test/helpers/kill-rounds.ts'

const [rounds = 200, seed = Date.now() % 1_000_000] = process.argv.slice(2, 4).map(Number)
const kill = process.argv[4] === 'clone' ? killRounds : jobKillRounds
const root = mkdtempSync(join(tmpdir(), 'faultline-kill-'))
const killedDuring = new Map<string, number>()
const recovered: number[] = []
let bad = 0
try {
  for await (const round of kill(root, { rounds, seed })) {
    for (const moment of round.killedDuring) killedDuring.set(moment, (killedDuring.get(moment) ?? 0) + 1)
    recovered.push(round.recoveredMs)
    if (round.problems.length > 0) {
      bad++
      console.log(`round ${recovered.length}:`, round.problems)
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true })
}
recovered.sort((a, b) => a - b)
console.log(
  `seed ${seed}: ${recovered.length} rounds, ${bad} with a problem; killed during ${[...killedDuring]
    .sort()
    .map(([step, n]) => `${step} ${n}`)
    .join(', ')}; ` +
    `restart to end of job: median ${Math.round(recovered[recovered.length >> 1] ?? 0)} ms, slowest ` +
    `${Math.round(recovered.at(-1) ?? 0)} ms`,
)
process.exitCode = bad === 0 ? 0 : 1
