import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { killRounds } from './helpers/kill-rounds.ts'
import { roundsOf } from './helpers/property-runs.ts'
import { testFolder } from './helpers/test-folder.ts'

test(
  'kill -9 at random moments of clones: each job ends well, the store is whole, nothing is left over',
  { timeout: 600_000 },
  async t => {
    const folder = testFolder(t)
    const moments = new Set<string>()
    let rounds = 0
    const run = async (seed: number) => {
      const root = join(folder, String(seed))
      mkdirSync(root)
      for await (const { killedDuring, problems } of killRounds(root, { rounds: roundsOf(10), seed })) {
        rounds++
        for (const moment of killedDuring) moments.add(moment)
        t.same(problems, [], `seed ${seed}, killed during ${killedDuring.join()}`)
      }
    }
    await Promise.all([20261121, 20261123].map(run)) // side by side: both wait much
    t.equal(rounds, 2 * roundsOf(10))
    t.ok(moments.size >= 2, `killed during ${[...moments].join(', ')}`)
  },
)
