import { test } from 'tap'
import { toWireEvent, toWireJob, toWireResult } from '../../src/contract/job-answer.ts'
import type { Job, JobEvent } from '../../src/core/job.ts'

const JOB: Job = {
  id: 'j',
  type: 'improve',
  status: 'waiting',
  projectName: 'shop',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  retryOf: null,
  trust: 'trusted',
  progress: null,
  queuePosition: null,
  request: { kind: 'approve_delivery', branch: 'b', diff: 'd', pullRequestUrl: null },
  result: null,
  error: null,
  usage: { llmCalls: 1, promptTokens: 2, completionTokens: 3, usd: null },
  redactions: 0,
  budget: { tokens: 5 },
}

test('a job says in the words of the contract what it asks and what it cost', async t => {
  t.match(toWireJob(JOB), {
    project_name: 'shop',
    retry_of: null,
    request: { kind: 'approve_delivery', branch: 'b', diff: 'd', pull_request_url: null },
    result: null,
    usage: { llm_calls: 1, prompt_tokens: 2, completion_tokens: 3, usd: null },
    budget: { tokens: 5 },
  })
})

test('results follow the type of their job, and further fields of pipelines that write code are kept', async t => {
  t.same(toWireResult('clone', { projectName: 'shop', filesSkipped: { too_large: 1 }, languages: { 'C#': 2 } }), {
    project_name: 'shop',
    files_skipped: { too_large: 1 },
    languages: { 'C#': 2 },
  })
  t.same(toWireResult('resolve', [{ id: 'r', contextTokens: 1, marked: 'inside' }]), [{ id: 'r', context_tokens: 1 }])
  t.same(toWireResult('generate', { run: { exitCode: 0 }, inNewer: { aB: 1 } }), {
    run: { exit_code: 0 },
    in_newer: { a_b: 1 },
  })
  t.same(toWireResult('task', { anyName: 1 }), { any_name: 1 })
})

test(
  'a request event tells what is asked in the words of the contract, stored by this release or an earlier ' + 'one',
  async t => {
    const event = (data: JobEvent['data']): JobEvent => ({ id: 1, at: JOB.createdAt, event: 'request', data })
    const hunks = [{ path: 'a.py' }]
    const told = { kind: 'review_changes', diff: 'd', rejected_hunks: hunks }
    t.same(toWireEvent(event({ kind: 'review_changes', diff: 'd', rejectedHunks: hunks })).data, told)
    t.same(toWireEvent(event(told)).data, told)
    const log: JobEvent = { ...event({ text: 'x', anyName: 1 }), event: 'log' }
    t.same(toWireEvent(log), log)
  },
)
