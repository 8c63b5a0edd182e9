import { test } from 'tap'
import { cloneText, eventsText, jobsTable, jobText, progressText } from '../../src/text/job-text.ts'
import { plain } from '../../src/text/paint.ts'
import type { JobAnswer } from '../../src/contract/job.ts'
import type { CloneAnswer } from '../../src/contract/project.ts'

const job = (fields: object = {}): JobAnswer =>
  ({
    id: 'job_1',
    type: 'clone',
    status: 'running',
    project_name: 'shop',
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:01Z',
    retry_of: null,
    progress: null,
    queue_position: null,
    error: null,
    result: null,
    request: null,
    ...fields,
  }) as unknown as JobAnswer

test('progress is the step and its message, or the place in the queue', async t => {
  t.equal(progressText(job()), 'clone: running')
  t.equal(progressText(job({ progress: { step: 'index', message: '5 files' } })), 'clone: index: 5 files')
  t.equal(progressText(job({ status: 'queued', queue_position: 2 })), 'clone: queued, 2 jobs before it')
  t.equal(progressText(job({ status: 'queued', queue_position: 0 })), 'clone: queued')
})

test('a job is a row of a table, or a row for each thing known of it', async t => {
  t.equal(jobsTable([], plain), 'No jobs.')
  const failed = job({ status: 'failed', error: { code: 'DISK_FULL', message: 'Full\nup.', fix: 'Free some.' } })
  t.equal(jobsTable([failed], plain), 'job_1  failed  clone  shop  2026-01-01T00:00:00Z  Full up.')
  const text = jobText(failed, plain)
  t.match(text, /^Error {4}DISK_FULL: Full up\.$/m)
  t.match(text, /^Fix {6}Free some\.$/m)
})

test('a clone says what was indexed, what changed and what was left out', async t => {
  const result: CloneAnswer = {
    project_name: 'shop',
    repository: 'shop',
    branch: 'main',
    commit: '0123456789abcdef',
    history: 'shallow',
    files_indexed: 1,
    files_skipped: { too_large: 2, binary: 0 },
    chunks_added: 3,
    chunks_removed: 0,
    chunks_total: 3,
    languages: { python: 1 },
    embedding: { provider: 'local', model: 'lsa', dimensions: 2 },
    timings_ms: { clone: 100, read: 200, chunk: 300, embed: 400, store: 200, total: 1200 },
  }
  t.equal(
    cloneText(result, plain),
    'Indexed shop: 1 file of shop, main at 0123456789 in 1.2 s\n3 chunks (3 added, 0 removed)\nLeft out: 2 too large',
  )
  t.match(
    cloneText({ ...result, branch: null, chunks_added: 0 }, plain),
    /of shop at 0123456789 .*\n.*nothing has changed/,
  )
})

test('events are a line each', async t => {
  t.equal(eventsText([], plain), 'No events.')
  const at = '2026-01-31T12:00:00.123Z'
  const events = [
    { event: 'status', data: { status: 'queued' } },
    { event: 'step', data: { step: 'index', message: 'reading\u001b[31m' } },
    { event: 'log', data: { text: 'one\ntwo\n', stream: 'stdout' } },
    { event: 'token', data: { text: 'Some wo' } },
    { event: 'token', data: { text: 'rds' } },
    { event: 'request', data: { kind: 'clarification', question: 'Which?' } },
    { event: 'suspects', data: { suspect_commits: [{}, {}], changed_since: [{}] } },
    { event: 'step', data: { step: 'index', finished: true } },
    { event: 'status', data: { other: 1 } },
    { event: 'done', data: { status: 'failed', error: { message: 'No room.' } } },
  ].map((event, index) => ({ id: index + 2, at, ...event }))
  t.equal(
    eventsText(events as unknown as Parameters<typeof eventsText>[0], plain),
    [
      ' 2  2026-01-31 12:00:00         queued',
      ' 3  2026-01-31 12:00:00  index  reading\\u001B[31m',
      ' 4  2026-01-31 12:00:00  index  one',
      '                                two',
      ' 5  2026-01-31 12:00:00  index  Some words',
      ' 7  2026-01-31 12:00:00  index  Which?',
      ' 8  2026-01-31 12:00:00  index  2 suspect commits found, 1 later change',
      ' 9  2026-01-31 12:00:00  index  finished',
      '10  2026-01-31 12:00:00  index  {"other":1}',
      '11  2026-01-31 12:00:00  index  failed: No room.',
    ].join('\n'),
  )
  const long = [{ id: 1, at: 'now', event: 'log', data: { text: 'x'.repeat(5000) } }]
  t.match(
    eventsText(long as unknown as Parameters<typeof eventsText>[0], plain),
    /^1 {2}now {4}x{2000} … \(5000 characters\)$/,
  )
})
