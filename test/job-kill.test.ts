import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { test } from 'tap'
import { jobKillRounds } from './helpers/job-kill-rounds.ts'

test(
  'twenty times kill -9 over jobs that wait, keep files, spend, run programs, clone and resolve: none is lost, doubled or stuck, nothing finished is repeated, nothing is left',
  { timeout: 600_000 },
  async t => {
    const root = mkdtempSync('/var/tmp/faultline-kill-')
    t.teardown(() => rm(root, { recursive: true, force: true }))
    const moments = new Set<string>()
    let rounds = 0
    for await (const { killedDuring, problems } of jobKillRounds(root, { rounds: 20, seed: 20261122 })) {
      rounds++
      for (const moment of killedDuring) moments.add(moment)
      t.same(problems, [], `round ${rounds}, killed during ${killedDuring.join()}`)
    }
    t.equal(rounds, 20)
    t.ok(
      ['running', 'waiting', 'queued'].every(status => [...moments].some(moment => moment.endsWith(` ${status}`))),
      [...moments].join(),
    )
    t.same(
      ['clone', 'generate', 'improve', 'resolve', 'task'].filter(
        type => ![...moments].some(moment => moment.startsWith(`${type} `) && !moment.endsWith(' succeeded')),
      ),
      [],
      'each kind was cut off',
    )
  },
)
