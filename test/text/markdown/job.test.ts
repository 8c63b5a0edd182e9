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
