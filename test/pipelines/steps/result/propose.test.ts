import { test } from 'tap'
import { propose, type Proposal } from '../../../../src/pipelines/steps/result/propose.ts'

const FILE = { path: 'a.py', bytes: 1, sha256: 'x', executable: false }
const REJECTED = { path: 'b.py', hunk: 1, reason: 'r', detail: 'd' }

/** The result, what a person was asked, and the phases that were told, of files that belong to no project. */
async function proposed(decision: 'approve' | 'reject', given: Partial<Proposal> = {}) {
  const asked: unknown[] = []
  const phases: string[] = []
  const job = {
    ask: async (_name: string, request: unknown) => {
      asked.push(request)
      return { decision }
    },
  } as never
  const result = await propose(
    job,
    { git: {} as never },
    {
      at: null,
      base: { commit: null } as never,
      changes: { changed: ['a.py'], deleted: [] } as never,
      prompt: 'p',
      outcome: { files: [FILE] as never, deleted: ['c.py'], diff: 'd' },
      rejected: [],
      refinements: 2,
      whether: 'ask',
      enter: (phase, message) => phases.push(`${phase}: ${message}`),
      ...given,
    },
  )
  return { result, asked, phases }
}

test('what a person approves is the result, and files that were sent are not committed', async t => {
  const { result, asked, phases } = await proposed('approve')
  t.match(result, { files: [FILE], deleted: ['c.py'], diff: 'd', complete: true, refinements: 2, decision: 'approve' })
  t.match(result, { branch: null, commit: null, baseCommit: null })
  t.equal(asked.length, 1)
  t.same(phases, ['review_changes: waiting for a decision'])
})

test('of what is rejected the diff stays, and no file', async t => {
  const { result } = await proposed('reject', { at: {} as never })
  t.match(result, { files: [], deleted: [], diff: 'd', commit: null, decision: 'reject' })
})

test('hunks that did not fit make a result incomplete; the verification stands before the question', async t => {
  const { result, asked, phases } = await proposed('approve', {
    rejected: [REJECTED] as never,
    verification: 'unverified',
  })
  t.match(result, { complete: false, rejectedHunks: [REJECTED] })
  t.match(asked, [{ rejectedHunks: [REJECTED], verification: 'unverified' }])
  t.same(phases, ['review_changes: unverified: waiting for a decision'])
})

test('nobody is asked where the request decides, or nothing changed', async t => {
  t.match((await proposed('reject', { whether: 'auto' })).result, { decision: null, files: [FILE] })
  const unchanged = { files: [], deleted: [], diff: '' }
  t.same((await proposed('reject', { outcome: unchanged })).asked, [])
})
