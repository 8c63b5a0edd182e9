import { test } from 'tap'
import type { Resolution } from '../../../src/core/resolution.ts'
import { faultIn, requestOf } from '../../../src/pipelines/fix/dialogue.ts'

const resolution = (given: object) =>
  ({
    id: 'r',
    projectName: 'shop',
    frames: [],
    context: 'code',
    sources: [],
    exceptions: [],
    ...given,
  }) as never as Resolution
const source = (path: string, repository = 'shop') => ({ path, repository })

test('a fault lies in the sources of one repository, each once, in their order', async t => {
  const sources = [source('b.py'), source('a.py'), source('b.py'), source('c.py', 'other')]
  t.same(faultIn(resolution({ sources }), 'shop').paths, ['b.py', 'a.py'])
  t.throws(() => faultIn(resolution({ sources }), 'elsewhere'), { code: 'NO_STACK_TRACE' })
})

test('the error is the last root exception, as far as it is known', async t => {
  const located = (exceptions: object[]) => faultIn(resolution({ sources: [source('a.py')], exceptions }), 'shop').error
  const root = { relation: 'root', type: 'ValueError', message: 'no' }
  t.equal(located([{ ...root, type: 'First' }, root, { ...root, relation: 'cause' }]), 'ValueError: no')
  t.equal(located([{ ...root, message: null }]), 'ValueError')
  t.equal(located([]), '')
})

test('a long trace is shown by its two ends', async t => {
  const located = faultIn(resolution({ sources: [source('a.py')] }), 'shop')
  const stacktrace = `first${'x'.repeat(100_000)}last`
  const asked = JSON.stringify(requestOf({ stacktrace, project_name: 'shop' }, located))
  t.match(asked, /first.*last.*code/)
  t.ok(asked.length < 30_000)
})
