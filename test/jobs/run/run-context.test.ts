import { test } from 'tap'
import type { JobEvent } from '../../../src/core/job.ts'
import type { JobContext } from '../../../src/jobs/job-context.ts'
import { collect, never, openCloneJobs, untilAborted } from '../fixture.ts'
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

test('progress within a step is told four times a second, that of another step and the last one at once', async t => {
  const { jobs } = await openCloneJobs(t, async ({ progress }) => {
    const { now } = performance
    const tellAt = (ms: number, step: string, done: number) => {
      performance.now = () => 1e9 + ms
      progress({ step, done, total: 9, message: 'works' })
    }
    try {
      tellAt(0, 'a', 1)
      tellAt(249, 'a', 2)
      tellAt(250, 'a', 3)
      tellAt(251, 'b', 4)
      tellAt(252, 'b', 9)
    } finally {
      performance.now = now
    }
    throw new Error('and then it fails')
  })
  const { id } = (await jobs.create('clone', {})).job
  await jobs.settled(id, 10_000)
  const told = (await jobs.events(id, 0)).filter(({ event, data }) => event === 'step' && data.done !== undefined)
  t.same(
    told.map(({ data }) => data.done),
    [1, 3, 4, 9],
  )
})

test('a job that is cancelled between two steps begins no other one', async t => {
  const reached = Promise.withResolvers<void>()
  const begun: string[] = []
  const { jobs } = await openCloneJobs(t, async ({ step, signal }) => {
    await step('first', async () => begun.push('first'))
    reached.resolve()
    await untilAborted(signal).catch(() => {})
    await step('second', async () => begun.push('second'))
    return {}
  })
  const { id } = (await jobs.create('clone', {})).job
  await reached.promise
  await jobs.cancel(id)
  t.match(await jobs.settled(id, 10_000), { status: 'cancelled' })
  await jobs.stop()
  t.same(begun, ['first'])
})

test('a job that fails stays where it was, one that succeeds has done all', async t => {
  for (const [fails, done] of [
    [true, 1],
    [false, 3],
  ] as const) {
    const { jobs } = await openCloneJobs(t, async ({ progress }) => {
      progress({ step: 'a', done: 1, total: 3, message: 'works' })
      if (fails) throw new Error('no')
      return {}
    })
    const { id } = (await jobs.create('clone', {})).job
    t.match(await jobs.settled(id, 10_000), { status: fails ? 'failed' : 'succeeded', progress: { done, total: 3 } })
  }
})

test('what a body still writes when its run has ended is refused', async t => {
  const kept: JobContext[] = []
  const { jobs } = await openJobs(t, {
    generate: scriptedJob(async context => {
      kept.push(context)
      await context.setResult({ is: 'first' })
      return { is: 'first' }
    }),
  })
  const { id } = (await jobs.create('generate', {})).job
  await jobs.settled(id, 10_000)
  const [late] = kept
  if (late === undefined) throw new Error('the body ran')
  const usage = { llmCalls: 1, promptTokens: 1, completionTokens: 1, usd: null }
  for (const [name, write] of Object.entries({
    result: () => late.setResult({ is: 'late' }),
    usage: () => late.addUsage(usage),
    transcript: () => late.record({ kind: 'note', text: 'late' } as never),
    audit: () => late.audit({ action: 'a', target: 't', outcome: 'done' } as never),
    diff: () => late.setDiff('late'),
    workspace: () => late.workspace('late'),
    input: () => late.replaceInput({}),
    files: () => late.files.put(new Map() as never),
  })) {
    await t.rejects(async () => write(), /has ended/, name)
  }
  t.match(await jobs.get(id), { status: 'succeeded', result: { is: 'first' }, usage: { llmCalls: 0 } })
})
