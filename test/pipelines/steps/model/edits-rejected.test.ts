import { test } from 'tap'
import { requireEdits } from '../../../../src/pipelines/steps/model/edits-rejected.ts'

const hunk = { path: 'a.py', hunk: 2, reason: 'not_found', detail: 'no such lines' }

test('edits that do not fit end a job, unless those that do are enough', async t => {
  t.doesNotThrow(() => requireEdits({ touched: [], rejected: [], allowPartial: false }))
  t.doesNotThrow(() => requireEdits({ touched: ['b.py'], rejected: [hunk], allowPartial: true }))
  t.throws(() => requireEdits({ touched: ['b.py'], rejected: [hunk], allowPartial: false }), {
    code: 'EDITS_REJECTED',
    message: '1 edit of the model could not be applied: a.py, hunk 2: not_found: no such lines',
    fix: /allow_partial/,
  })
  t.throws(() => requireEdits({ touched: [], rejected: [{ ...hunk, path: null, hunk: null }], allowPartial: true }), {
    message: /the reply: not_found/,
    fix: /another model/,
  })
})
