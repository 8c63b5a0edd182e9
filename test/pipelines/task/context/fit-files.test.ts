import { test } from 'tap'
import { fitFiles, showFile } from '../../../../src/pipelines/task/context/fit-files.ts'

const countTokens = (text: string): number => Math.ceil(text.length / 4)
const TEXTS = new Map([
  ['large.ts', 'let a = 1\n'.repeat(200)],
  ['small.ts', 'let b = 2\n'.repeat(10)],
  ['tiny.ts', 'let c\n'],
])
const fit = (paths: readonly string[], { maxTokens = 1_000, most = 1_000, mayBeCut = false } = {}) =>
  fitFiles(
    paths.map(path => ({ path, maxTokens: most, mayBeCut })),
    { texts: TEXTS, maxTokens, countTokens },
  )

test('what does not fit is left out, and what comes after it may fit', t => {
  t.same(fit(['large.ts', 'small.ts', 'tiny.ts', 'small.ts', 'gone.ts'], { maxTokens: 100 }), {
    files: [
      { path: 'small.ts', isWhole: true },
      { path: 'tiny.ts', isWhole: true },
    ],
    tokens: 39,
  })
  t.same(fit(['small.ts'], { most: 10 }).files, [], 'more than it may take alone')
  t.same(fit(['small.ts'], { maxTokens: 0 }), { files: [], tokens: 0 })
  t.end()
})

test('where it may be cut, its beginning is shown up to the end of a line, within the budget', t => {
  const { files, tokens } = fit(['large.ts'], { maxTokens: 200, mayBeCut: true })
  const [file] = files
  t.ok(tokens <= 200, `${tokens}`)
  t.ok(tokens >= 180, `${tokens}`)
  t.match(file, { path: 'large.ts', isWhole: false })
  const lines = file?.lines ?? 0
  t.equal(
    showFile({ path: 'large.ts', isWhole: false, lines }, TEXTS.get('large.ts') ?? ''),
    `large.ts\n\`\`\`\n${'let a = 1\n'.repeat(lines)}\`\`\`\n` +
      `(Only the first ${lines} of 200 lines of this file are shown.)`,
  )
  t.same(fit(['large.ts'], { maxTokens: 30, mayBeCut: true }).files, [], 'too little to be of use')
  t.end()
})
