import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { appendStepSummary } from '../../../src/cli/files/step-summary.ts'

test('a summary is appended with an empty line behind it, as long as all of it fits', async t => {
  const file = join(t.testdir(), 'summary.md')
  t.equal(await appendStepSummary(file, 'one\n\n'), true)
  t.equal(await appendStepSummary(file, 'zwei ü'), true)
  t.equal(readFileSync(file, 'utf8'), 'one\n\nzwei ü\n\n')
  writeFileSync(file, 'x'.repeat(1_048_576 - 5))
  t.equal(await appendStepSummary(file, 'üü'), false, 'bytes are counted')
  t.equal(await appendStepSummary(file, 'abc'), true)
  await t.rejects(appendStepSummary(t.testdir(), 'x'), { code: 'EISDIR' })
})
