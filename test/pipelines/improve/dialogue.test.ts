import { test } from 'tap'
import { firstImproveDialogue } from '../../../src/pipelines/improve/dialogue.ts'
import { sentFiles } from '../../../src/pipelines/steps/base/base-files.ts'

test('the first question shows the selected files, then the request', async t => {
  const base = sentFiles(new Map(Object.entries({ 'a.py': '1', 'b.py': '2' })), { fill: async () => {} })
  const deps = {
    globTest: (globs: string[]) => (path: string) => globs.includes(path),
    search: async () => ({ hits: [], complete: true }),
  }
  const input = { prompt: 'greet', select: ['b.py'] }
  const dialogue = JSON.stringify(await firstImproveDialogue(deps, input, { base, project: null }))
  t.match(dialogue, /b\.py.*greet/)
  t.notMatch(dialogue, /a\.py/)
})
