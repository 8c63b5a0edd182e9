import { test } from 'tap'
import { checkReply } from '../../src/jobs/waiting.ts'
import { openJobs } from '../helpers/open-jobs.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

const QUESTION = { kind: 'clarification' as const, question: 'What?' }

test(
  'a reply while the server stops counts after the restart; one after the time is over is told that the ' +
    'job has ended',
  async t => {
    let clock = new Date('2026-01-01T00:00:00Z')
    const run = scriptedJob(async ({ ask }) => await ask('q', QUESTION))
    const first = await openJobs(t, { generate: run }, { now: () => clock })
    const [answered, late] = [
      (await first.jobs.create('generate', {})).job.id,
      (await first.jobs.create('generate', {})).job.id,
    ]
    for (const id of [answered, late]) await first.jobs.settled(id, 10_000)
    const stopped = first.jobs.stop()
    t.match(await first.jobs.reply(answered, { answer: 'in the last moment' }, 'ada'), {
      status: 'queued',
      request: null,
    })
    await t.rejects(first.jobs.reply(answered, { answer: 'again' }, null), {
      code: 'NOT_WAITING',
      message: /is queued/,
      fix: /\?wait=60 answers when it asks/,
    })
    await stopped
    await first.close()
    clock = new Date('2026-01-08T00:00:01Z')
    const second = await openJobs(t, { generate: run }, { now: () => clock, root: first.root })
    await t.rejects(second.jobs.reply(late, { answer: 'too late' }, null), { code: 'NOT_WAITING' })
    t.match(await second.jobs.settled(answered, 10_000), {
      status: 'succeeded',
      result: { answer: 'in the last moment' },
    })
    t.match(await second.jobs.settled(late, 10_000), { status: 'failed', error: { code: 'REPLY_TIMED_OUT' } })
    await t.rejects(second.jobs.reply(late, { answer: 'too late' }, null), {
      code: 'NOT_WAITING',
      message: /is failed/,
      fix: /retry/,
    })
    t.match(
      (await second.jobs.transcript(answered)).entries.map(({ entry }) => entry.kind),
      ['question', 'answer'],
    )
  },
)

test('a comment goes with the rejection of changes, and with nothing else', async t => {
  const reviewed = { kind: 'review_changes' as const, diff: 'd', rejectedHunks: [] }
  const waiting = { id: 'j', status: 'waiting' as const, request: reviewed }
  const reject = { decision: 'reject' as const }
  t.same(checkReply(waiting, { ...reject, comment: ' Use tabs.\n' }), { ...reject, comment: 'Use tabs.' })
  for (const comment of ['', ' \n\t']) {
    t.same(checkReply(waiting, { ...reject, comment }), reject, 'a blank one is none')
    t.same(checkReply(waiting, { decision: 'approve', comment }), { decision: 'approve' })
  }
  for (const body of [{ decision: 'approve' as const }, { answer: 'x' }, { skip: true as const }]) {
    t.throws(() => checkReply(waiting, { ...body, comment: 'Use tabs.' }), {
      code: 'VALIDATION_FAILED',
      message: /A comment goes with the decision "reject" alone/,
      fix: /"comment": "what should be different"/,
    })
  }
  t.throws(() => checkReply(waiting, { ...reject, comment: 'x'.repeat(20_001) }), {
    code: 'VALIDATION_FAILED',
    message: /The comment has 20001 characters; 20000 are the most/,
  })
  t.throws(() => checkReply(waiting, { comment: 'Use tabs.' }), { code: 'VALIDATION_FAILED', message: /has none/ })
  const confirm = { kind: 'confirm_run' as const, command: 'bash run.sh', files: [] }
  t.throws(() => checkReply({ ...waiting, request: confirm }, { ...reject, comment: 'Use tabs.' }), {
    code: 'WRONG_REPLY',
    message: /of kind confirm_run, which takes no comment/,
    fix: /^Send \{"decision": "approve"\} or \{"decision": "reject"\}\.$/,
  })
  t.throws(() => checkReply({ ...waiting, status: 'succeeded' }, { ...reject, comment: 'Use tabs.' }), {
    code: 'NOT_WAITING',
  })
})
