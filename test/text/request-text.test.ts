import { test } from 'tap'
import { plain } from '../../src/text/paint.ts'
import { asked, replyOptions, requestDetail, requestHeading, requestText } from '../../src/text/request-text.ts'

type Job = Parameters<typeof requestText>[0]

test('each kind of request is asked in a sentence and says how to reply', async t => {
  for (const [request, heading, reply] of [
    [{ kind: 'clarification', question: 'Which port?' }, 'Which port?', /--skip/],
    [{ kind: 'confirm_run', command: 'bash run.sh' }, 'May this be run? bash run.sh', /--approve/],
    [{ kind: 'review_changes' }, 'Are these changes right?', /--reject/],
    [{ kind: 'review_plan' }, 'Is this plan right?', /--approve/],
    [{ kind: 'budget' }, 'The budget is used up.', /--tokens/],
    [{ kind: 'deliver', branch: 'x' }, 'May x be delivered?', /--approve/],
    [{ kind: 'from_the_future' }, 'May the branch be delivered?', /--approve/],
  ] as const) {
    t.equal(requestHeading(request), heading)
    t.match(replyOptions(request), reply)
  }
})

test('a rejection may have a comment as long as the model can be asked again', async t => {
  t.match(replyOptions({ kind: 'review_changes', refinements_left: 1 }), /--reject --comment "what should/)
  for (const request of [{ kind: 'review_changes', refinements_left: 0 }, { kind: 'review_changes' }]) {
    t.equal(replyOptions(request), '--approve or --reject', 'a server of an earlier release knows no comment')
  }
})

test('what the model says stands before the diff, and cannot steer the terminal', async t => {
  const request = { kind: 'review_changes', explanation: 'It is\u001B[2J the loop.\n\nSo.', diff: '-1\n+2\n' }
  t.match(requestDetail(request, plain), /^What the model says:\nIt is\\u001B\[2J the loop\.\n\nSo\.\n\n-1\n\+2\n/)
})

test('the details of a request stand in whole lines', async t => {
  t.equal(
    requestDetail(
      {
        kind: 'review_changes',
        script: 'python a.py\n',
        files: [{ path: 'a\u001B.py', bytes: 3 }],
        verification: 'not_run',
        rejected_hunks: [{ path: 'b.py', reason: 'not_found', detail: 'gone' }],
        spent: { tokens: 1, seconds: 2, usd: null },
        limit: { tokens: 1 },
      } as unknown as Parameters<typeof requestDetail>[0],
      plain,
    ),
    [
      '    python a.py',
      '  a\\u001B.py (3 bytes)',
      'not run',
      'Left out, as they did not apply: 1',
      '  b.py: not_found: gone',
      'Spent 1 token, 2 seconds of 1 token.',
      '',
    ].join('\n'),
  )
})

test('a waiting job says what to type, any other job nothing', async t => {
  t.equal(requestText({ id: 'job_1', request: null }, plain), '')
  const waiting = { id: 'job_1', request: { kind: 'review_plan', plan: { steps: [] } } } as unknown as Job
  t.match(
    requestText(waiting, plain),
    /Is this plan right\?\n\{\n {2}"steps": \[\]\n\}\nReply: faultline jobs reply job_1/,
  )
  t.equal(asked({ request: null }).kind, 'nothing')
})
