import { test } from 'tap'
import { review } from '../../../../src/pipelines/steps/result/review.ts'

test('a person decides about a diff, unless the request does or there is none', async t => {
  const asked: unknown[] = []
  const job = {
    ask: async (_name: string, request: unknown) => {
      asked.push(request)
      return { decision: 'reject' }
    },
  } as never
  t.equal(await review(job, { diff: 'd', rejected: [], whether: 'auto' }), null)
  t.equal(await review(job, { diff: '', rejected: [], whether: 'ask' }), null)
  t.same(asked, [])
  const rejected = [{ path: 'a', hunk: 1, reason: 'r', detail: 'd' }]
  t.equal(await review(job, { diff: 'd', rejected, whether: 'ask', verification: 'verified' }), 'reject')
  t.match(asked, [{ kind: 'review_changes', diff: 'd', rejectedHunks: rejected, verification: 'verified' }])
})
