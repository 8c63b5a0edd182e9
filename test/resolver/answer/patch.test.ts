import { test } from 'tap'
import { FaultlineError } from '../../../src/core/errors.ts'
import { writeCode } from '../../../src/contract/resolution-json.ts'
import type { ResolverDeps } from '../../../src/resolver/resolver.ts'
import { LOCATED, REPLY, REQUEST, resolverWith } from '../resolve-with.ts'

test('the diff of an answer becomes a patch of the commit that was read, or says why not', async t => {
  const read: string[] = []
  const located = {
    ...LOCATED,
    marked: {
      lines: [{ repository: 'shop', path: 'src/a.py', line: 2, commit: LOCATED.commit, weight: 1, failing: true }],
      tracedAt: null,
    },
    sources: [],
  }
  const withReply = (text: string, deps: Partial<ResolverDeps> = {}) =>
    resolverWith({
      locate: async () => writeCode(located),
      complete: async () => ({ ...REPLY, text }),
      readFile: async ({ repository, commit, path }) => {
        read.push(`${repository} ${commit} ${path}`)
        return path === 'src/a.py' ? 'a\r\nb\r\nc\r\n' : null
      },
      ...deps,
    }).resolve(REQUEST)
  const diff = '## Cause\nx\n## Code\n```diff\n--- a/src/a.py\n+++ b/src/a.py\n@@ -7,3 +7,3 @@\n a\n-b\n+B\n c\n```\n'
  t.match(await withReply(diff), {
    answer: {
      explanation: 'x',
      patch:
        'diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,3 +1,3 @@\n a\r\n-b\r\n+B\r\n c\r\n',
      patchStatus: 'applies',
    },
  })
  t.ok(read.includes(`shop ${LOCATED.commit} src/a.py`))
  t.match(await withReply(diff.replace('-b', '-x')), {
    answer: { patch: null, patchStatus: /^rejected: src\/a\.py, hunk 1: The lines/ },
  })
  t.match(await withReply(diff.replaceAll('src/a.py', '../a.py')), {
    answer: { patch: null, patchStatus: /^rejected: .*no path that may be written/ },
  })
  t.match(await withReply(diff.replace(/```\n$/, '')), {
    answer: { patch: null, patchStatus: /^rejected: .*not closed/ },
  })
  t.match(await withReply('```diff\n- a\n+ b\n```'), { answer: { patch: null, patchStatus: /^rejected: / } })
  t.match(await withReply('```python\nprint(1)\n```'), { answer: { patch: null, patchStatus: 'none' } })
  t.match(
    await withReply(diff, {
      readFile: async () => {
        throw new FaultlineError('PAYLOAD_TOO_LARGE', 'x')
      },
    }),
    { answerStatus: 'ok', answer: { explanation: 'x', patch: null, patchStatus: /could not be read/ } },
  )
})
