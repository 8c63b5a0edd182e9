import { test } from 'tap'
import { killRounds } from './helpers/kill-rounds.ts'
import { testFolder } from './helpers/test-folder.ts'

test(
  'twenty times kill -9 at a random moment of a clone: each job ends well, the store is whole, nothing is left over',
  { timeout: 600_000 },
  async t => {
    const moments = new Set<string>()
    let rounds = 0
    for await (const { killedDuring, problems } of killRounds(testFolder(t), { rounds: 20, seed: 20261121 })) {
      rounds++
      for (const moment of killedDuring) moments.add(moment)
      t.same(problems, [], `round ${rounds}, killed during ${killedDuring.join()}`)
    }
    t.equal(rounds, 20)
    t.ok(moments.size >= 2, `killed during ${[...moments].join(', ')}`)
  },
)
