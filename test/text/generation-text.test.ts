import { test } from 'tap'
import { outcomeText, resultText, usageText } from '../../src/text/generation-text.ts'
import { plain } from '../../src/text/paint.ts'

type Run = NonNullable<Parameters<typeof outcomeText>[0]['run']>
type Result = Parameters<typeof resultText>[0]['result']

const run = (fields: Partial<Run> = {}): Run =>
  ({ exit_code: 0, killed_by: null, ready: false, duration_ms: 1500, stdout: '', stderr: '', ...fields }) as Run

test('a run says how it ended and how long it took', async t => {
  const text = (fields: Partial<Run>) =>
    outcomeText({ run: run(fields), heal: null } as Parameters<typeof outcomeText>[0], plain)
  t.equal(text({}), 'Run: exit code 0 after 1.5 s')
  t.equal(text({ exit_code: null, killed_by: 'memory' }), 'Run: ended for its memory after 1.5 s')
  t.equal(text({ ready: true }), 'Run: ready after 1.5 s')
  t.equal(outcomeText({ run: null, heal: null } as Parameters<typeof outcomeText>[0], plain), 'It was not run.')
})

test('healing says why it ended, with the last line of each run', async t => {
  const attempts = [run({ exit_code: 1, stderr: 'Traceback\nZeroDivisionError: x\n' }), run()]
  const result = { healed: false, stopped_because: 'same_error', attempts, files: [], deleted: [], branch: null }
  const text = resultText({ type: 'self_heal', result: result as unknown as Result }, plain)
  t.match(text, /^Not healed after 2 runs: the same error came again\./)
  t.match(text, /run 1 {2}exit code 1 after 1\.5 s {2}ZeroDivisionError: x/)
})

test('changes name their files and where they were committed', async t => {
  const result = {
    decision: 'approve',
    files: [{ path: 'a.py' }],
    deleted: ['b\n.py'],
    rejected_hunks: [{ path: null, reason: 'not_found', detail: 'no such lines' }],
    branch: 'faultline/job',
    commit: '0123456789abcdef',
    base_commit: 'fedcba9876543210',
  }
  t.equal(
    resultText({ type: 'improve', result: result as unknown as Result }, plain),
    [
      '  changed  a.py',
      '  deleted  b .py',
      'Left out, as they did not apply: 1',
      '  the reply: not_found: no such lines',
      'Committed as 0123456789 to faultline/job in the clone, on top of fedcba9876.',
    ].join('\n'),
  )
  const rejected = { ...result, decision: 'reject' }
  t.equal(resultText({ type: 'improve', result: rejected as unknown as Result }, plain), 'Nothing was changed.')
})

test('a job of another kind, or without a result, has no such text', async t => {
  t.equal(resultText({ type: 'clone', result: {} as Result }, plain), '')
  t.equal(resultText({ type: 'fix', result: null }, plain), '')
})

test('a fix says whether it was proved, by which commands, and whether a test shows the fault', async t => {
  const fixed = {
    decision: null,
    files: [],
    deleted: [],
    rejected_hunks: [],
    branch: null,
    commit: null,
    base_commit: null,
    verification: 'verified',
    verification_reason: null,
    runs: [{ kind: 'whole', command: 'npm test', before: 1, after: 0 }],
    tests: { fixed: ['a > b'], broken: [], flaky: [] },
    reproduction: { reproduced: true, paths: ['test/a.test.js'], attempts: 1, reason: null },
    baseline: run({ exit_code: 1 }),
    after: run(),
  }
  const text = (more: object) => resultText({ type: 'fix', result: { ...fixed, ...more } as unknown as Result }, plain)
  t.equal(
    text({}),
    [
      'Nothing is different.',
      'A test shows the failure: test/a.test.js',
      'Verified: it failed before the change and passes after it.',
      '  the whole: exit code 1, then exit code 0: npm test',
      '  fixed: a > b',
      '  before  exit code 1 after 1.5 s',
      '  after   exit code 0 after 1.5 s',
    ].join('\n'),
  )
  const reproduction = { reproduced: false, paths: [], attempts: 3, reason: 'It passes.' }
  t.match(text({ reproduction }), /No test shows the failure: It passes\./)
  const candidate = { chosen: false, votes: 1, diff: 'd', verification: null, warnings: null, note: null }
  const candidates = [
    { ...candidate, number: 1, verification: 'could_not_run', warnings: 2 },
    { ...candidate, number: 2, verification: 'verified', votes: 2, chosen: true },
    { ...candidate, number: 3, votes: 0, note: 'The same changes as candidate 2.' },
  ]
  t.match(text({ candidates }), / candidate 1 +could not run +2 warnings\n +candidate 2 +verified +2 votes +chosen\n/)
  t.match(text({ candidates }), / candidate 3 +The same changes as candidate 2\./)
  const earlier = { verification: 'unverified', runs: undefined, tests: undefined, reproduction: undefined }
  t.match(text({ ...earlier, verification_reason: undefined }), /Unverified\.\n {2}before/, 'of an earlier release')
})

test('what a job used is said with its price, where there is one', async t => {
  const job = (usd: number | null) =>
    ({ id: 'job_1', usage: { llm_calls: 1, prompt_tokens: 5, completion_tokens: 2, usd } }) as Parameters<
      typeof usageText
    >[0]
  t.equal(usageText(job(null), plain), 'Job job_1: 1 call of the model, 5 tokens in, 2 out.')
  t.equal(usageText(job(0.5), plain), 'Job job_1: 1 call of the model, 5 tokens in, 2 out, 0.5000 USD.')
})

test('a fix that may only hide the failure says so, with the places', async t => {
  const fix = (fields: object) =>
    resultText(
      {
        type: 'fix',
        result: { decision: 'approve', files: [], deleted: [], rejected_hunks: [], branch: null, ...fields } as never,
      },
      plain,
    )
  const guards = [{ path: 'a.py', line: 3, kind: 'swallowed_error', detail: 'A handler\u001b[2J catches it.' }]
  const runs = { baseline: run({ exit_code: 1 }), after: run() }
  const reason = 'It passes, which shows little.'
  const text = fix({ verification: 'partially_verified', verification_reason: reason, guards, ...runs })
  t.match(text, /^Partially verified\. It passes, which shows little\.$/m)
  t.match(text, /It may only hide the failure \(1 place\):\n {2}a\.py:3: A handler/)
  t.notOk(text.includes('\u001b'))
  t.match(fix({ verification: 'verified', guards: [], ...runs }), /^Verified: /m)
  t.match(fix({ verification: 'verified', ...runs }), /^Verified: /m, 'a server of an earlier release')
  const many = Array.from({ length: 25 }, () => guards[0])
  t.match(fix({ verification: 'unverified', guards: many, ...runs }), /\n {2}and 5 more$/)
})

test('what healing changed is listed, and nothing is said of changes that there are not', async t => {
  const heal = {
    healed: true,
    stopped_because: 'healed',
    attempts: [run({ exit_code: 1, stdout: 'a\nlast\n' }), run()],
  }
  const none = { files: [], deleted: [], branch: null, commit: null, base_commit: null }
  const text = (more: object) =>
    resultText({ type: 'self_heal', result: { ...heal, ...none, ...more } as never }, plain)
  const runs = 'Healed: run 2 worked.\n  run 1  exit code 1 after 1.5 s  last\n  run 2  exit code 0 after 1.5 s'
  t.equal(text({}), runs)
  t.equal(text({ files: [{ path: 'a.py' }] }), `${runs}\n  changed  a.py`)
  t.equal(text({ deleted: ['b.py'] }), `${runs}\n  deleted  b.py`)
  const branch = { branch: 'faultline/job', commit: '0123456789abcdef' }
  t.equal(text(branch), `${runs}\nCommitted as 0123456789 to faultline/job in the clone.`)
  t.equal(text({ ...branch, commit: null }), runs)
  const stopped = (reason: string) => text({ healed: false, stopped_because: reason, attempts: [] })
  for (const [reason, words] of [
    ['max_attempts', 'the attempts were used up'],
    ['same_error', 'the same error came again'],
    ['no_change', 'the model had no change to make'],
    ['budget', 'the budget or the time was used up'],
    ['of_a_later\nrelease', 'of_a_later release'],
  ] as const) {
    t.equal(stopped(reason), `Not healed after 0 runs: ${words}.`, reason)
  }
})

test('a generation lists its files, then how its run or its healing ended', async t => {
  const files = [{ path: 'a.py' }, { path: 'b.py' }]
  const text = (more: object) =>
    resultText({ type: 'generate', result: { files, run: null, heal: null, ...more } as never }, plain)
  t.equal(text({}), '2 files: a.py, b.py\nIt was not run.')
  t.equal(text({ run: run() }), '2 files: a.py, b.py\nRun: exit code 0 after 1.5 s')
  const heal = { healed: true, stopped_because: 'healed', attempts: [run()] }
  t.match(text({ run: run({ exit_code: 1 }), heal }), /^2 files: .*\nHealed: run 1 worked\./)
  t.match(text({ run: run({ exit_code: null }) }), /exit code none/)
})

test('a change says where it can be looked at, where that is known', async t => {
  const result = { decision: 'approve', files: [{ path: 'a.py' }], deleted: [], rejected_hunks: [], branch: null }
  const text = (more: object) => resultText({ type: 'improve', result: { ...result, ...more } as never }, plain)
  const [request, compare] = ['https://example.com/1', 'https://example.com/compare']
  t.equal(text({}), '  changed  a.py', 'a server of an earlier release')
  t.equal(text({ pull_request_url: null, compare_url: null }), '  changed  a.py')
  t.match(text({ pull_request_url: request, compare_url: compare }), `\nPull request: ${request}`)
  t.match(text({ pull_request_url: null, compare_url: compare }), `\nOpen a pull request at: ${compare}`)
  const hunks = Array.from({ length: 25 }, () => ({ path: 'b.py', reason: 'stale', detail: 'other lines' }))
  const lines = text({ rejected_hunks: hunks }).split('\n')
  t.equal(lines[1], 'Left out, as they did not apply: 25')
  t.equal(lines.filter(line => line === '  b.py: stale: other lines').length, 20)
})

test('of several candidates each has a line, of one none', async t => {
  const result = { decision: 'approve', files: [], deleted: [], rejected_hunks: [], branch: null, baseline: null }
  const text = (candidates: object[]) =>
    resultText({ type: 'fix', result: { ...result, verification: 'verified', candidates } as never }, plain)
  const candidate = { number: 1, chosen: true, votes: 1, verification: null, warnings: null, note: null }
  t.notMatch(text([]), /candidate/)
  t.match(text([candidate]), /^ {2}candidate 1 +chosen$/m)
  t.match(text([{ ...candidate, chosen: false, warnings: 1, note: 'n'.repeat(200) }]), /1 warning {2}n{120}$/m)
  t.match(text([{ ...candidate, warnings: 0, verification: 'partially_verified' }]), /partially verified +chosen$/m)
})
