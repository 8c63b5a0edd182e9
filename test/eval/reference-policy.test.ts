import { test } from 'tap'
import { codeToAsk } from '../../bench/eval/code-to-ask.ts'
import { rankCrash } from '../../bench/eval/crashes.ts'
import { projectOf } from '../../bench/eval/project.ts'
import { ReferencePolicy } from '../../bench/eval/reference-policy.ts'
import { look } from '../../src/pipelines/resolve/investigate/look.ts'
import { FAR_CAUSE, FAR_TRACE } from '../helpers/far-cause.ts'

test('a policy that follows names comes to a cause three calls away, by calls that the tools take', async t => {
  const files = Object.entries(FAR_CAUSE).map(([path, text]) => ({ path, language: 'python', text: String(text) }))
  const project = await projectOf(files)
  const { frames, exceptions } = await rankCrash(FAR_TRACE, project)
  const policy = new ReferencePolicy({
    trace: FAR_TRACE,
    messages: exceptions.map(({ message }) => message ?? ''),
    frames: frames.toReversed(),
    named: [],
    codeOf: ({ sourceText }) => (sourceText === null ? null : { line: sourceText, scope: null }),
  })
  const code = codeToAsk(project)
  const { signal } = new AbortController()
  const seen: string[] = []
  for (let step = 1; step <= 12 && !seen.includes('store/shelf.py'); step++) {
    const call = policy.next()
    if (call === null) break
    const made = await look(call, { step, asked: new Map(), code, signal })
    t.not(made.outcome, 'refused', made.summary)
    seen.push(...made.lines.map(({ path }) => path))
    policy.saw(made)
  }
  t.ok(seen.includes('store/shelf.py'), seen.join(' '))
})
