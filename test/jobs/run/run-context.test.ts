import { test } from 'tap'
import type { JobEvent } from '../../../src/core/job.ts'
import { collect, never, openCloneJobs } from '../fixture.ts'
import { setTimeout as wait } from 'node:timers/promises'
import { openJobs } from '../../helpers/open-jobs.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'

test('what a program prints is told in few events, in its order, all of it before the step is over', async t => {
  const { jobs } = await openCloneJobs(t, async ({ step, log }) => {
    await step('run', async () => {
      for (let line = 0; line < 10_000; line++) log(`${line}\n`, 'stdout')
      log('failed\n', 'stderr')
      log('after\n', 'stdout')
    })
    return {}
  })
  const { job } = await jobs.create('clone', {})
  await jobs.settled(job.id, 10_000)
  const events = await collect(jobs.follow(job.id, 0, never))
  const logs = events.filter(({ event }) => event === 'log')
  t.equal(
    logs.map(({ data }) => data.text).join(''),
    `${Array.from({ length: 10_000 }, (_, line) => `${line}\n`).join('')}failed\nafter\n`,
  )
  t.same(
    logs.slice(-3).map(({ data }) => data.stream),
    ['stdout', 'stderr', 'stdout'],
  )
  t.ok(logs.length < 100, `${logs.length} events`)
  t.ok(events.indexOf(logs.at(-1) as JobEvent) < events.findIndex(({ data }) => data.finished === true))
})

test('tokens come as events, several together, none lost, none after the end', async t => {
  const { jobs } = await openJobs(t, {
    generate: scriptedJob(async ({ token, log, step }) => {
      await step('say', async () => {
        for (let i = 0; i < 2_000; i++) token(`${i} `)
        log('between')
        token('last')
        setTimeout(() => token('too late'), 60)
      })
    }),
  })
  const { id } = (await jobs.create('generate', {})).job
  await jobs.settled(id, 10_000)
  await wait(120)
  const events = await jobs.events(id, 0)
  const texts = events.filter(({ event }) => event === 'token').map(({ data }) => String(data.text))
  t.equal(texts.join(''), `${Array.from({ length: 2_000 }, (_, i) => `${i} `).join('')}last`)
  t.ok(texts.length < 10)
  t.same(
    events
      .map(event => (event.event === 'log' || event.event === 'token' ? event.event : ''))
      .join(' ')
      .trim()
      .replace(/(token )+/g, 'token '),
    'token log token',
  )
  t.equal(events.at(-1)?.event, 'done')
})
