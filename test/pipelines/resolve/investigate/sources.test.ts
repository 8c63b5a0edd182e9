import { test } from 'tap'
import type { Look } from '../../../../src/pipelines/resolve/investigate/look.ts'
import { sourcesOf } from '../../../../src/pipelines/resolve/investigate/sources.ts'

/** A look that showed lines of one file. */
const shown = (step: number, startLine: number, endLine: number, path = 'a.py'): Look => ({
  step,
  tool: 'read_code',
  arguments: '{}',
  outcome: 'found',
  summary: '',
  tokens: 1,
  key: null,
  told: '',
  text: 'text',
  lines: [{ repository: 'shop', path, startLine, endLine }],
})

test('ranges that touch are one source, also where lines between two join them', async t => {
  const looks = [shown(1, 1, 5), shown(2, 10, 15), shown(3, 30, 31), shown(4, 6, 9, 'b.py'), shown(5, 6, 9)]
  const sources = sourcesOf(looks, text => text.length)
  t.same(
    sources.map(({ path, startLine, endLine }) => [path, startLine, endLine]),
    [
      ['a.py', 1, 15],
      ['a.py', 30, 31],
      ['b.py', 6, 9],
    ],
  )
  t.match(sources[0], { reason: 'investigated', why: 'the model read it in step 1 (read_code)' })
})
