import { test } from 'tap'
import type { JobAnswer } from '../../../src/contract/job.ts'
import { jobMarkdown } from '../../../src/text/markdown/job.ts'

const WAITING = {
  id: 'a1',
  type: 'resolve',
  status: 'queued',
  project_name: 'shop',
  created_at: '2026-01-31T12:00:00.000Z',
  progress: null,
  request: null,
  result: null,
  error: null,
} as unknown as JobAnswer

test('a job without a result is its state alone', async t => {
  for (const type of ['resolve', 'clone', 'generate'] as const) {
    t.equal(
      jobMarkdown({ ...WAITING, type } as JobAnswer),
      `## Job \`a1\`: ${type}\n\n- status: \`queued\`\n- project: \`shop\`\n- created: 2026-01-31T12:00:00.000Z`,
    )
  }
})

const CLONED = {
  project_name: 'shop',
  repository: 'shop',
  branch: 'main',
  commit: '0123456789abcdef',
  files_indexed: 3,
  files_skipped: { binary: 0 },
  chunks_total: 7,
  chunks_added: 7,
  chunks_removed: 0,
  timings_ms: { total: 1500 },
}

test('what came of a job stands in a fence, in the words for its kind, and its diff in another', async t => {
  const resultIn = (type: string, result: object) =>
    jobMarkdown({ ...WAITING, status: 'succeeded', type, result } as unknown as JobAnswer)
      .split('\n\n')
      .slice(2)
      .join('\n\n')
  t.match(
    resultIn('clone', CLONED),
    /^```\nIndexed shop: 3 files of shop, main at 0123456789 in 1\.5 s\n7 chunks \(7 added/,
  )
  const generated = { files: [{ path: 'a.py' }], run: null, heal: null }
  t.equal(resultIn('generate', generated), '```\n1 file: a.py\nIt was not run.\n```')
  t.match(resultIn('generate', { ...generated, diff: '+a' }), /run\.\n```\n\n```diff\n\+a\n```$/)
  t.equal(resultIn('generate', { ...generated, diff: '' }), resultIn('generate', generated))
  t.equal(resultIn('embed', { diff: '' }), '', 'a kind without words')
  t.equal(resultIn('resolve', []), '')
})

test('a job tells how far it is, what it asks, and what stopped it', async t => {
  const progress = { step: 'clone', message: 'half *done*', done: 1, total: 2 }
  const error = { code: 'CLONE_FAILED', message: 'It _failed_.', fix: 'Try `again`.' }
  const told = jobMarkdown({ ...WAITING, project_name: null, progress, error } as unknown as JobAnswer)
  t.notMatch(told, /- project/)
  t.match(told, /\n- progress: `clone`: half .?\*done.?\*\n/)
  t.match(told, /\n- error: `CLONE_FAILED`: It .?_failed.?_\.\n- to do: Try .?`again.?`\.$/)
  t.notMatch(jobMarkdown({ ...WAITING, error: { ...error, fix: undefined } } as unknown as JobAnswer), /to do/)
})
