import { test } from 'tap'
import type { TaskAnswer, TaskResultAnswer } from '../../src/contract/task.ts'
import { plain, type Paint } from '../../src/text/paint.ts'
import { taskResultText, tasksText, taskText } from '../../src/text/task-text.ts'

const RULE = '─'.repeat(60)
const loud: Paint = (format, text) => `<${String(format)}>${text}</>`

const task = (fields: Partial<TaskAnswer> = {}): TaskAnswer => ({
  number: 1,
  job_id: 'j1',
  title: 'добавь валидацию email',
  description: 'добавь валидацию email',
  status: 'done',
  project_name: 'my-app-1a2b3c4d',
  repository: 'my-app-1a2b3c4d',
  repo_path: '/Users/user/projects/my-app',
  branch_name: 'ai/task-1-attempt-2',
  attempt: 2,
  max_attempts: 3,
  reviewer_feedback: null,
  error_message: null,
  created_at: '2025-01-15T10:30:00.000Z',
  updated_at: '2025-01-15T10:32:45.000Z',
  logs: [],
  ...fields,
})

const log = (fields: Partial<TaskAnswer['logs'][number]>): TaskAnswer['logs'][number] => ({
  id: 1,
  agent: 'coder',
  action: 'generate',
  input_summary: null,
  output_summary: null,
  tokens_used: null,
  duration_ms: null,
  created_at: '2025-01-15T10:30:05.000Z',
  ...fields,
})

test('tasks are lines of number, status and title under a heading', async t => {
  const rows = [
    task({ number: 3, title: 'добавь кнопку логаута в хедер' }),
    task({ number: 2, status: 'failed', title: 'исправь\nбаг \u001b[31m' }),
  ]
  t.equal(
    tasksText(rows, plain),
    [RULE, ' Tasks', RULE, ' #3 [done] добавь кнопку логаута в хедер', ' #2 [failed] исправь баг \\u001B[31m'].join(
      '\n',
    ),
  )
  t.match(tasksText(rows, loud), '[<green>done</>]')
  t.equal(tasksText([], plain).split('\n').at(-1), ' No tasks.')
})

test('a task is shown as the seed has it, with the logs of its agents', async t => {
  const logs = [
    log({
      input_summary: 'Task: добавь валидацию email',
      output_summary: '2 files, commit: feat: add email validation',
      tokens_used: 15_230,
      duration_ms: 8500,
    }),
    log({ agent: 'tester', action: 'test', output_summary: 'All checks passed', created_at: '2025-01-15T10:30:45Z' }),
  ]
  t.equal(
    taskText(task({ logs }), plain),
    [
      RULE,
      ' Task #1',
      RULE,
      '  Title:       добавь валидацию email',
      '  Status:      done',
      '  Repository:  /Users/user/projects/my-app',
      '  Branch:      ai/task-1-attempt-2',
      '  Attempt:     2/3',
      '  Created:     2025-01-15 10:30:00',
      '  Updated:     2025-01-15 10:32:45',
      '',
      RULE,
      ' Agent Logs',
      RULE,
      '  [2025-01-15 10:30:05] coder/generate',
      '    Input:  Task: добавь валидацию email',
      '    Output: 2 files, commit: feat: add email validation',
      '    Tokens: 15230',
      '    Duration: 8500ms',
      '  [2025-01-15 10:30:45] tester/test',
      '    Output: All checks passed',
    ].join('\n'),
  )
})

test('a failed task says why and what sent it back, in whatever words', async t => {
  const fields = {
    status: 'failed',
    branch_name: null,
    repo_path: null,
    error_message: 'All 3 failed.\u009b2J',
  } as const
  const text = taskText(task({ ...fields, reviewer_feedback: 'Divides by zero.\n  Title:  forged' }), plain)
  t.match(text, /\n {2}Repository: {2}my-app-1a2b3c4d\n {2}Branch: {6}-\n/)
  t.match(text, '\n  Error:       All 3 failed.\\u009B2J\n')
  const gone = taskText(task({ status: 'failed', reviewer_feedback: 'a\n\nb' }), plain)
  t.match(gone, '\n  Branch:      ai/task-1-attempt-2 (deleted)\n')
  t.match(gone, `\n  Feedback:    a\n\n${' '.repeat(15)}b\n`)
  t.match(text, /\n {2}Feedback: {4}Divides by zero\.\n {17}Title: {2}forged\n/, 'further lines are no fields')
  t.match(text, /Agent Logs\n─+\n {2}Nothing yet\.$/)
  t.match(taskText(task(fields), loud), '<red>failed</>')
})

const attempt = (fields: Partial<TaskResultAnswer['attempts'][number]>): TaskResultAnswer['attempts'][number] => ({
  number: 1,
  branch: 'ai/task-7-attempt-1',
  base_branch: 'main',
  base_commit: 'a'.repeat(40),
  notes: [],
  commit: 'b'.repeat(40),
  commit_message: 'fix: it',
  diff: '',
  review: null,
  tests: null,
  failure: null,
  ...fields,
})

const result = (fields: Partial<TaskResultAnswer> = {}): TaskResultAnswer => ({
  task_number: 7,
  repository: 'shop',
  branch: 'ai/task-7-attempt-2',
  base_branch: 'main',
  base_commit: 'a'.repeat(40),
  commit: 'b'.repeat(40),
  diff: '',
  merged: false,
  merge_commit: null,
  tests_ran: false,
  pull_request_url: null,
  compare_url: null,
  attempts: [attempt({ failure: { stage: 'reviewing', message: 'A bug.\nIn a.js' } }), attempt({ number: 2 })],
  ...fields,
})

test('a result says what became of each attempt, where the change is and whether anybody ran it', async t => {
  t.equal(
    taskResultText(result(), plain),
    [
      'Task #7: 2 attempts',
      '  attempt 1  reviewing: A bug. In a.js',
      '  attempt 2  passed',
      'Committed as bbbbbbbbbb to ai/task-7-attempt-2 in the clone, on top of main at aaaaaaaaaa.',
      'Nobody ran a linter or tests over it.',
    ].join('\n'),
  )
  const tests = {
    passed: true,
    lint_output: '',
    test_output: '',
    summary: 'All checks passed',
    checks: [],
    broken: [],
    guards: [],
  }
  const checked = result({ tests_ran: true, attempts: [attempt({ tests })], pull_request_url: 'https://h/1' })
  t.match(taskResultText(checked, plain), /\nChecks: All checks passed\nPull request: https:\/\/h\/1$/)
  const issues = [
    { severity: 'major', file: 'a.js', line: 3, message: 'Slow\nhere.' },
    { severity: 'nit', file: null, line: null, message: 'Long.' },
  ] as const
  const review = { decision: 'approve' as const, issues: [...issues], summary: 'Clean.' }
  const reviewed = result({ attempts: [attempt({ review })] })
  const said = '\nReview: Clean.\n  [major] a.js:3: Slow here.\n  [nit] Long.\nNobody ran'
  t.match(taskResultText(reviewed, plain), said, 'what the reviewer let pass is for whoever merges')
  const merged = result({ merged: true, merge_commit: 'c'.repeat(40), compare_url: 'https://h/c' })
  t.match(taskResultText(merged, plain), /\nMerged ai\/task-7-attempt-2 into main as cccccccccc\.\n/)
  t.match(taskResultText(merged, plain), /\nOpen a pull request at: https:\/\/h\/c$/)
})

test('a task without an attempt that passed names no branch', async t => {
  const failed = result({ branch: null, commit: null, attempts: result().attempts.slice(0, 1) })
  t.equal(taskResultText(failed, plain), 'Task #7: 1 attempt\n  attempt 1  reviewing: A bug. In a.js')
})
