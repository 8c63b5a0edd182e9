import { test } from 'tap'
import type { TaskAnswer } from '../../../src/contract/task.ts'
import { taskMarkdown, tasksMarkdown } from '../../../src/text/markdown/task.ts'

const at = '2026-01-31T12:00:00.000Z'
const task: TaskAnswer = {
  number: 12,
  job_id: 'a1',
  title: 'Refuse an *empty* address',
  description: 'Refuse an *empty* address\n```\n![x](https://evil.example/x.png)',
  status: 'failed',
  project_name: 'shop',
  repository: 'shop',
  repo_path: '/srv/shop.git',
  branch_name: 'ai/task-12-attempt-2',
  attempt: 2,
  max_attempts: 3,
  reviewer_feedback: 'No test\n````',
  error_message: 'Not <b>done</b>\nin 3 attempts',
  created_at: at,
  updated_at: at,
  logs: [
    {
      id: 1,
      agent: 'coder',
      action: 'generate',
      input_summary: 'attempt 1',
      output_summary: '[2 files](x)\u001b[31m',
      tokens_used: 1_200,
      duration_ms: 340,
      created_at: at,
    },
    {
      id: 2,
      agent: 'pipeline',
      action: 'complete',
      input_summary: null,
      output_summary: null,
      tokens_used: null,
      duration_ms: null,
      created_at: at,
    },
  ],
}

test('a task is written in Markdown, in which nothing of a stranger is Markdown', t => {
  t.equal(
    taskMarkdown(task),
    [
      '## Task 12: Refuse an \\*empty\\* address',
      '',
      '- status: `failed`',
      '- project: `shop`',
      '- repository: `/srv/shop.git`',
      '- branch: `ai/task-12-attempt-2` (deleted)',
      '- attempt: 2/3',
      `- created: ${at}`,
      '- job: `a1`',
      '- error: Not \\<b\\>done\\</b\\> in 3 attempts',
      '',
      '````',
      'Refuse an *empty* address',
      '```',
      '![x](https://evil.example/x.png)',
      '````',
      '',
      'Feedback:',
      '',
      '`````',
      'No test',
      '````',
      '`````',
      '',
      `- ${at} · \`coder/generate\` · attempt 1 · \\[2 files\\](x)\\\\u001B\\[31m · 1200 tokens · 340 ms`,
      `- ${at} · \`pipeline/complete\``,
    ].join('\n'),
  )
  t.end()
})

test('a task that has not begun says what there is', t => {
  const nothing = { branch_name: null, repo_path: null, reviewer_feedback: null, error_message: null, logs: [] }
  const text = taskMarkdown({ ...task, ...nothing, description: 'x' })
  t.notMatch(text, /branch|repository|error|Feedback|null/)
  t.match(text, /```\nx\n```$/)
  t.end()
})

test('tasks are a line each', t => {
  t.equal(tasksMarkdown([]), 'No tasks.')
  t.equal(
    tasksMarkdown([task, { ...task, number: 11, title: 'x' }]),
    '- 12 `failed` `shop` Refuse an \\*empty\\* address\n- 11 `failed` `shop` x',
  )
  t.end()
})
