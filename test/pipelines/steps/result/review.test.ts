import { test } from 'tap'
import { review } from '../../../../src/pipelines/steps/result/review.ts'

test('a person decides about a diff, unless the request does or there is none', async t => {
  const asked: object[] = []
  const job = {
    ask: async (_name: string, request: object) => {
      asked.push(request)
      return { decision: 'reject', comment: 'Use tabs.' }
    },
  } as never
  const rejected = [{ path: 'a', hunk: 1, reason: 'r', detail: 'd' }]
  const changes = { diff: 'd', explanation: 'e', rejected, whether: 'ask', refinementsLeft: 2, checks: {} } as const
  t.equal(await review(job, { ...changes, whether: 'auto' }), null)
  t.equal(await review(job, { ...changes, diff: '' }), null)
  t.same(asked, [])
  t.same(await review(job, { ...changes, checks: { verification: 'verified' } }), {
    decision: 'reject',
    comment: 'Use tabs.',
  })
  t.match(asked, [
    {
      kind: 'review_changes',
      explanation: 'e',
      diff: 'd',
      rejectedHunks: rejected,
      verification: 'verified',
      refinementsLeft: 2,
    },
  ])
  await review(job, { ...changes, explanation: '' })
  t.notOk(Object.hasOwn(asked[1] ?? {}, 'explanation'), 'a model that says nothing has no explanation')
})
