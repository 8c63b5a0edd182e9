import { test } from 'tap'
import { noFaultResolution } from '../../../src/pipelines/resolve/no-fault.ts'

const given = { projectName: 'shop', commit: 'c', indexState: 'ready' as const }

test('a log without a fault comes to a resolution that says what was looked through', async t => {
  const one = noFaultResolution({ ...given, log: 'all is well\n', passedOver: 0 })
  t.match(one, { projectName: 'shop', sources: [], answerStatus: 'not_requested' })
  t.match(one.notice, /^No fault was found in the 1 line of this log\. Looked for/)
  const many = noFaultResolution({ ...given, log: 'a\nb', passedOver: 2 })
  t.match(many.notice, /the 2 lines of this log \(2 warnings or other stacks are no faults\)/)
  t.not(one.id, many.id)
})
