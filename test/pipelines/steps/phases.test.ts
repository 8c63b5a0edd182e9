import { test } from 'tap'
import { createPhases } from '../../../src/pipelines/steps/phases.ts'

test('progress counts the phases that are over', async t => {
  const seen: unknown[] = []
  const enter = createPhases({ progress: progress => seen.push(progress) }, ['read', 'write'])
  enter('read', 'reading')
  enter('write', 'writing')
  enter('other', 'a phase of its own')
  t.same(seen, [
    { step: 'read', done: 0, total: 2, message: 'reading' },
    { step: 'write', done: 1, total: 2, message: 'writing' },
    { step: 'other', done: 0, total: 2, message: 'a phase of its own' },
  ])
})
