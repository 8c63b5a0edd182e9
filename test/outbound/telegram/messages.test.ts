import { randomUUID } from 'node:crypto'
import { test } from 'tap'
import type { JobRequest } from '../../../src/core/job.ts'
import {
  doneMessage,
  readPressedData,
  waitingMessage,
  type NotifiedJob,
} from '../../../src/outbound/telegram/messages.ts'

const JOB: NotifiedJob = {
  id: randomUUID(),
  type: 'feature',
  projectName: 'shop',
  status: 'waiting',
  request: null,
  result: null,
  error: null,
}

const withoutSecrets = (text: string): string => text.replaceAll(/ghp_[a-z]{36}/g, '[secret]')
const waiting = (request: JobRequest, publicUrl: string | null = null) =>
  waitingMessage(JOB, request, { publicUrl, withoutSecrets, notificationId: 999_999_999_999_999 })

test('a message says in short what is asked, each kind in its words', async t => {
  const spent = { tokens: 1200, seconds: 3.4, usd: null }
  t.match(waiting({ kind: 'budget', spent, limit: { tokens: 1000 } }), {
    text: /has used its budget\.\nUsed: 1200 tokens, 3 s\nLimits: \{"tokens":1000\}\nAnswer with: faultline jobs reply/,
    buttons: [],
  })
  const plan = { understood: 'Store characters.', branch_name: 'feat/characters' }
  t.match(
    waiting({ kind: 'review_plan', plan }).text,
    /plan is good\.\nUnderstood: Store.*\nBranch: feat\/characters\n/,
  )
  t.match(waiting({ kind: 'review_plan', plan: ['nonsense'] }).text, /plan is good\.\nJob: /)
  const changes: JobRequest = {
    kind: 'review_changes',
    diff: '+secret',
    rejectedHunks: [],
    explanation: 'Adds\na check',
  }
  t.match(waiting(changes).text, /\nChanges: Adds a check\n/)
  t.notMatch(waiting(changes).text, 'secret')
  t.match(waiting({ kind: 'confirm_run', command: 'bash run.sh', files: [] }).text, '\nCommand: bash run.sh\n')
  const delivery: JobRequest = {
    kind: 'approve_delivery',
    branch: 'feat/x',
    diff: '',
    pullRequestUrl: null,
    compareUrl: 'https://forge.example.com/compare',
    conflicts: [{ with: 'main', jobId: null, paths: ['a.ts'] }],
    problem: 'The push was refused.',
    merge: true,
    deploysBy: null,
  }
  const { text, buttons } = waiting(delivery)
  t.match(
    text,
    /\nCompare: https:\S+\nConflicts: main\nProblem: The push was refused\.\nAn approval merges it\.\nNothing/,
  )
  t.same(
    buttons.map(({ text: label }) => label),
    ['Deploy', 'Abort'],
  )
})

test('what a button says fits, and is read back; anything else is none of ours', async t => {
  const { buttons } = waiting({ kind: 'confirm_run', command: 'x', files: [] })
  for (const { callback_data: data } of buttons) t.ok(Buffer.byteLength(data) <= 64, data)
  t.same(
    buttons.map(({ callback_data: data }) => readPressedData(data)),
    ['approve', 'reject'].map(decision => ({ decision, jobId: JOB.id, notificationId: 999_999_999_999_999 })),
  )
  for (const data of ['', 'a', `a:${JOB.id}`, `x:${JOB.id}:1`, `a:${JOB.id}:1:2`, `a:${JOB.id}:-1`, `a:../..:1`]) {
    t.equal(readPressedData(data), null, data)
  }
})

test('an end is told with what came of it, and where the job is', async t => {
  const result = { outcome: 'deployed', branch: 'feat/x', pullRequestUrl: 'https://forge.example.com/pr/1' }
  t.equal(
    doneMessage({ ...JOB, status: 'succeeded', result }, { publicUrl: 'https://faultline.example.com', withoutSecrets })
      .text,
    'The feature job of shop succeeded.\nOutcome: deployed\nBranch: feat/x\nRequest: https://forge.example.com/pr/1\n' +
      `Job: https://faultline.example.com/ui/jobs/${JOB.id}`,
  )
  const error = { code: 'OUT_OF_SCOPE', message: 'It may not.', step: null }
  t.match(
    doneMessage({ ...JOB, status: 'failed', projectName: null, error }, { publicUrl: null, withoutSecrets }).text,
    /type feature failed\.\nError: OUT/,
  )
})

test('a secret is found before a line is cut', async t => {
  const secret = `ghp_${'abcdefghi'.repeat(4)}`
  for (let before = 355; before <= 400; before++) {
    const { text } = waiting({ kind: 'confirm_run', command: `${'x'.repeat(before - 1)} ${secret}`, files: [] })
    t.notMatch(text, 'ghp_', String(before))
  }
  t.match(waiting({ kind: 'confirm_run', command: `echo ${secret}`, files: [] }).text, 'Command: echo [secret]\n')
})
