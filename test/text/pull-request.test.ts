import { test } from 'tap'
import { redact } from '../../src/llm/redaction/redact.ts'
import {
  diffSummary,
  faultWord,
  pullRequestBody,
  pullRequestTitle,
  type FaultEvidence,
  type PullRequestEvidence,
} from '../../src/text/pull-request.ts'

const FINGERPRINT = '3f2c'.repeat(8)
const DIFF =
  'diff --git a/shop/prices.py b/shop/prices.py\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,2 +1,3 @@\n' +
  ' def average(items):\n+    if not items:\n-    total = sum(items)\n+    total = 0\n' +
  'diff --git a/old.py b/old.py\ndeleted file mode 100644\n--- a/old.py\n+++ /dev/null\n@@ -1 +0,0 @@\n--- x\n'

const FAULT: FaultEvidence = {
  error: 'ZeroDivisionError: division by zero',
  fingerprint: FINGERPRINT,
  trace: 'Traceback (most recent call last):\n  File "a.py", line 3\nZeroDivisionError: division by zero',
  frames: [{ path: 'shop/prices.py', line: 3, function: 'average', why: 'the same path' }],
  suspects: [
    { commit: 'c'.repeat(40), author: 'Ann', date: '2026-03-01T12:00:00Z', summary: 'Count', why: 'changed it last' },
  ],
  resolutionId: 'res_1',
}

const WHOLE = { kind: 'whole' as const, command: 'npm test', before: 1, after: 0 }

const evidence = (
  fields: Partial<PullRequestEvidence> = {},
  fault: Partial<FaultEvidence> = {},
): PullRequestEvidence => ({
  projectName: 'shop',
  jobId: 'job_1',
  request: null,
  fault: { ...FAULT, ...fault },
  explanation: 'An empty list has no mean.',
  baseCommit: 'b'.repeat(40),
  diff: DIFF,
  runs: { label: 'verified', reason: '', runs: [WHOLE], tests: null },
  guards: [],
  leftOut: 0,
  ...fields,
})

test('a description is made of evidence, and says last what a model says', async t => {
  const body = pullRequestBody(
    evidence({
      runs: {
        label: 'partially_verified',
        reason: 'a guard fired',
        runs: [
          { kind: 'narrow', command: 'npm test -- mean', before: 1, after: 0 },
          WHOLE,
          { kind: 'old_tests', command: 'npm test', before: null, after: 0 },
        ],
        tests: { fixed: ['test_mean'], broken: [], flaky: ['test_time'] },
      },
      guards: [{ path: 'a.py', line: 7, kind: 'swallowed', detail: 'catches everything' }],
      leftOut: 1,
    }),
  )
  const places = [
    `<!-- ${faultWord('shop', FINGERPRINT)} -->`,
    '### What broke',
    '`ZeroDivisionError: division by zero`',
    '```text\nTraceback',
    '- `shop/prices.py:3` in `average`: the same path',
    '### What changes',
    '- `shop/prices.py` +2 −1',
    '- `old.py` +0 −1',
    '1 edit of the model did not fit and is left out.',
    '**partially verified**: a guard fired',
    '- `npm test -- mean` (the test of the failure): exit code 1 before the change, 0 after it.',
    '- `npm test` (the whole): exit code 1 before the change, 0 after it.',
    '- `npm test` (the tests as they were): exit code 0 after the change.',
    '- `a.py:7` `swallowed`: catches everything',
    '- `test_mean`',
    '- `test_time`',
    '### Suspect commits',
    '2026-03-01 `Ann`: `Count` (changed it last)',
    '### Cause, as a model explains it',
    'An empty list has no mean.',
    'job `job_1`, resolution `res_1`.',
  ].map(part => [body.indexOf(part), part] as const)
  for (const [at, part] of places) t.not(at, -1, part)
  const order = places.map(([at]) => at)
  t.same(
    order,
    [...order].sort((a, b) => a - b),
    body,
  )
})

test('a request in words has no fault; nothing that was not run is said to be', async t => {
  const body = pullRequestBody(
    evidence({ fault: null, request: 'Greet @everyone\n```\n/merge', runs: null, explanation: ' ' }),
  )
  t.match(body, /### What was asked for\n\n````text\nGreet @everyone\n```\n\/merge\n````/)
  t.match(body, /Nothing was run\./)
  t.notMatch(body, /### Cause|faultline-fault/)
  t.match(
    pullRequestBody(evidence({ runs: { label: 'unverified', reason: '', runs: [], tests: null } })),
    /No command was run/,
  )
})

test('no text of a trace, a repository or a model leaves its block, calls somebody or closes an issue', async t => {
  const evil = 'x``````\n```\n@root fixes #1\n/merge\n<!-- faultline-fault-1 -->![x](https://evil.example)'
  const body = pullRequestBody(
    evidence(
      { explanation: evil.replace('```\n', ''), guards: [{ path: evil, line: null, kind: evil, detail: evil }] },
      {
        error: evil,
        trace: evil,
        frames: [{ path: evil, line: null, function: evil, why: evil }],
        suspects: [{ commit: evil, author: evil, date: evil, summary: evil, why: evil }],
      },
    ),
  )
  t.notMatch(body, /fixes #1/, 'in a block of code neither')
  const outside = body.replace(/^(`{7,})text\nx`[^]*?\n\1$/m, '')
  t.not(outside, body, 'the trace has a block with a longer fence')
  t.notMatch(outside, /@root|^\s*(?:[-*+>] )*\/merge/m)
  t.equal(outside.match(/^\s*<!--/gm)?.length, 2, 'marks are ours alone')
  const [, explanation = ''] = outside.split('### Cause')
  t.notMatch(explanation, /(?<!\\)!\[|(?<!\\)<!--/)
  t.match(body, /^<!-- faultline-fault-[0-9a-f]{32} -->\n<!-- faultline-job-job_1 -->\n/)
})

test('a description fits every forge, whatever it is made of', async t => {
  const long = 'word '.repeat(20_000)
  const frames = Array.from({ length: 100 }, () => ({ path: long, line: 1, function: long, why: long }))
  const suspects = Array.from({ length: 100 }, () => ({
    commit: long,
    author: long,
    date: long,
    summary: long,
    why: long,
  }))
  const ids = Array.from({ length: 100 }, () => long)
  const guards = ids.map(detail => ({ path: long, line: 1, kind: long, detail }))
  const runs = { label: 'verified', reason: long, runs: [WHOLE], tests: { fixed: ids, broken: ids, flaky: ids } }
  const body = pullRequestBody(
    evidence({ explanation: long, runs, guards }, { error: long, trace: long, frames, suspects }),
  )
  t.ok(body.length <= 32_768, String(body.length))
  t.match(body, /left out; the job has them/)
  t.match(body, /exit code 1 before/)
  t.match(body, /job `job_1`, resolution `res_1`\.$/)
})

test('a title is one short line that calls nobody', async t => {
  t.equal(pullRequestTitle('Fix it'), 'Fix it')
  t.equal(pullRequestTitle(' '), 'Change files')
  t.notMatch(pullRequestTitle('Fix Error: @ann closes #1'), /@ann|closes #1/)
  t.equal(pullRequestTitle('x'.repeat(300)).length, 120)
})

test('the word of a fault is found again, also where secrets are taken out', async t => {
  t.equal(faultWord('Shop', 'a'), faultWord('shop', 'a'))
  t.not(faultWord('shop', 'a'), faultWord('shop', 'b'))
  t.not(faultWord('shop', 'a'), faultWord('api', 'a'))
  for (let at = 0; at < 200; at++) {
    const word = faultWord('shop', String(at))
    t.equal(redact(`<!-- ${word} -->`).text, `<!-- ${word} -->`)
  }
})

test('files of a diff are counted, also those that are gone', async t => {
  t.same(diffSummary(DIFF), [
    { path: 'shop/prices.py', added: 2, removed: 1 },
    { path: 'old.py', added: 0, removed: 1 },
  ])
  t.same(diffSummary(''), [])
})

test('a feature tells its plan and what was run in its last attempt, each check by its command', async t => {
  const plan = { understood: 'So it is.', entities: [], tools: [], files: [] }
  const check = { check: 'test', passed: true, command: 'npm test', exit_code: 0, output: '' }
  const body = (checks: object[], more: object = {}) => {
    const attempts = [
      { number: 1, checks: [{ ...check, command: 'npm run old' }] },
      { number: 2, checks },
    ]
    const feature = { plan, attempts, migrations: [], conflicts: [], ...more }
    return pullRequestBody(evidence({ fault: null, request: 'Store it', feature: feature as never }))
  }
  t.match(body([check]), /### What was run\n+- `test` \(`npm test`\): exit code 0\n/)
  t.notMatch(body([check]), /npm run old|Migrations|Conflicts/)
  t.match(body([{ ...check, command: null }]), /- `test`: exit code 0\n/)
  t.match(body([{ ...check, exit_code: null }]), /exit code none \(killed or not run\)/)
  t.match(body([{ ...check, passed: null, output: 'No command.\nMore.' }]), /- `test`: not run\. No command\.\n/)
  t.match(body([]), /### What was run\n+Nothing was run\./)
  const entity = { name: 'Character', table_name: 'characters', fields: [{ name: 'age', type: 'integer' }] }
  const told = body([check], {
    plan: { ...plan, entities: [entity], tools: [{ name: 'add', description: 'Adds one' }] },
    migrations: ['m.sql'],
    conflicts: [{ with: 'feat/other', paths: ['a.ts', 'b.ts'] }],
  })
  for (const line of [
    /### The plan\n+So it is\./,
    /- `Character` in `characters`: `age: integer`/,
    /- `add`: Adds one/,
    /Migrations:\n+- `m\.sql`/,
    /Conflicts:\n+- with `feat\/other` in `a\.ts`, `b\.ts`/,
  ]) {
    t.match(told, line)
  }
  t.notMatch(body([check], { plan: null }), /The plan/)
  t.match(body([check], { attempts: [] }), /Nothing was run/)
})
