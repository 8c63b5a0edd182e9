import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { test } from 'tap'
import { jobKillRounds } from './helpers/job-kill-rounds.ts'
import { roundsOf } from './helpers/property-runs.ts'

const KINDS = ['clone', 'generate', 'improve', 'resolve', 'task']

test(
  'kill -9 over jobs that wait, keep files, spend, run programs, clone and resolve: none is lost, doubled or ' +
    'stuck, nothing finished is repeated, nothing is left',
  { timeout: 600_000 },
  async t => {
    const moments = new Set<string>()
    let rounds = 0
    const run = async (seed: number) => {
      const root = mkdtempSync('/var/tmp/faultline-kill-')
      t.teardown(() => rm(root, { recursive: true, force: true }))
      for await (const { killedDuring, problems } of jobKillRounds(root, { rounds: roundsOf(10), seed })) {
        rounds++
        for (const moment of killedDuring) moments.add(moment)
        t.same(problems, [], `seed ${seed}, killed during ${killedDuring.join()}`)
      }
    }
    await Promise.all([20261122, 20261124].map(run)) // side by side: both wait much
    t.equal(rounds, 2 * roundsOf(10))
    t.ok(
      ['running', 'waiting', 'queued'].every(status => [...moments].some(moment => moment.endsWith(` ${status}`))),
      [...moments].join(),
    )
    // which kinds are met is chance, and another one on every machine
    const cutOff = KINDS.filter(type =>
      [...moments].some(moment => moment.startsWith(`${type} `) && !moment.endsWith(' succeeded')),
    )
    t.ok(cutOff.length >= 2, cutOff.join())
  },
)
