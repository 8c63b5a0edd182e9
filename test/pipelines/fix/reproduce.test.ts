import { execFileSync } from 'node:child_process'
import { test } from 'tap'
import { buildProject } from '../../helpers/project-with-model.ts'
import { inJail } from '../../helpers/sandbox.ts'

const FILES = {
  'shop/__init__.py': '',
  'shop/prices.py': 'def average(items):\n    return sum(items) / len(items)\n',
  'tests/__init__.py': '',
  'tests/test_other.py':
    'import unittest\n\n\nclass OtherTest(unittest.TestCase):\n    def test_fine(self):\n        pass\n',
}
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/main.py", line 7, in main\n    average([])\n' +
  '  File "/srv/shop/prices.py", line 2, in average\n    return sum(items) / len(items)\n' +
  'ZeroDivisionError: division by zero'
const BODY = {
  stacktrace: TRACE,
  project_name: 'shop',
  review: 'auto',
  reproduce: true,
  verify: { command: 'python3 -m unittest' },
}
const MEND = {
  text:
    '```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,2 +1,2 @@\n def average(items):\n' +
    '-    return sum(items) / len(items)\n+    return sum(items) / len(items) if items else 0\n```\n',
}
const PATH = 'tests/test_prices.py'
/** A reply with a file. */
const file = (path: string, body: string) => ({ text: `${path}\n\`\`\`python\n${body}\`\`\`\n` })
const testOf = (statement: string): string =>
  'import unittest\nfrom shop.prices import average\n\n\nclass PricesTest(unittest.TestCase):\n' +
  `    def test_empty(self):\n        ${statement}\n`
const RED = file(PATH, testOf('self.assertEqual(average([]), 0)'))

test('a test that fails as the trace says is committed before the fix, and shows it', inJail, async t => {
  const { post, git, commit, sent, model, app, repository } = await buildProject(t, FILES, [RED, MEND])
  const job = (await post('/fix', BODY)).json()
  t.match(job, {
    status: 'succeeded',
    result: {
      verification: /^verified$/,
      reproduction: { reproduced: true, paths: [PATH], attempts: 1, reason: null },
      runs: [
        { kind: 'narrow', command: `python3 -m unittest ${PATH}`, before: 1, after: 0 },
        { kind: 'whole', command: 'python3 -m unittest', before: 0, after: 0 },
      ],
      files: [{ path: 'shop/prices.py' }, { path: PATH }],
    },
  })
  t.equal(model.requests.length, 2)
  t.match(sent(0)[2]?.content, /Do not fix anything yet.*ZeroDivisionError in average \(shop\/prices\.py:2\)/s)
  t.match(sent(1)[2]?.content, /These files hold a test.*tests\/test_prices\.py/s)
  t.equal(
    git('log', '--format=%s', `${commit}..${job.result.branch}`),
    'Fix ZeroDivisionError: division by zero\nAdd a test for ZeroDivisionError: division by zero',
  )
  t.equal(git('diff', '--name-only', commit, `${job.result.commit}~1`), PATH, 'the first commit is the test alone')
  t.equal(git('diff', '--name-only', `${job.result.commit}~1`, job.result.commit), 'shop/prices.py')

  const patch = (await app.inject(`/jobs/${job.id}/patch`)).body
  t.equal(patch.match(/^Subject: /gm)?.length, 2)
  for (const command of [['apply'], ['-c', 'user.name=A', '-c', 'user.email=a@b', 'am', '-q']]) {
    const tree = t.testdir()
    const run = (...args: string[]) => execFileSync('git', args, { cwd: tree }).toString()
    run('clone', '-q', repository.dir, 'tree')
    run('-C', 'tree', 'checkout', '-q', commit)
    execFileSync('git', ['-C', 'tree', ...command], { cwd: tree, input: patch })
    t.match(run('-C', 'tree', 'grep', '--untracked', '-l', 'average', '--', '.'), PATH)
  }
})

test('a review shows both commits as one patch that can be mailed', inJail, async t => {
  const { post, reply, app, git } = await buildProject(t, FILES, [RED, MEND])
  const asked = (await post('/fix', { ...BODY, review: 'ask' })).json()
  t.match(asked, {
    status: 'waiting',
    request: { verification: /^verified$/, runs: [{ kind: 'narrow', before: 1, after: 0 }, { kind: 'whole' }] },
  })
  const patch = (await app.inject(`/jobs/${asked.id}/patch`)).body
  t.equal(patch.match(/^Subject: \[PATCH\] (?:Add a test|Fix)/gm)?.length, 2)
  t.match((await reply(asked.id, { decision: 'reject' })).json(), { result: { branch: null, files: [] } })
  t.equal(git('for-each-ref', 'refs/heads'), '')
})

test(
  'a test that does not show the fault is taken back, and the model is asked again with what happened',
  inJail,
  async t => {
    const passes = file(PATH, testOf('self.assertEqual(average([2]), 2)'))
    const raises = file('tests/test_more.py', testOf('raise ZeroDivisionError("division by zero")'))
    const { post, sent } = await buildProject(t, FILES, [passes, raises, RED, MEND])
    const job = (await post('/fix', BODY)).json()
    t.match(job.result, {
      verification: /^verified$/,
      reproduction: { reproduced: true, paths: [PATH], attempts: 3 },
      files: [{ path: 'shop/prices.py' }, { path: PATH }],
    })
    t.match(sent(1).at(-1)?.content, /It passes, although nothing is fixed.*Ran 1 test/s)
    t.match(sent(2).at(-1)?.content, /wanted is ZeroDivisionError in average/)
  },
)

test('after three tests that do not show it the fix goes on without, and says so', inJail, async t => {
  const passes = file(PATH, testOf('pass'))
  const { post, git, commit, logsOf } = await buildProject(t, FILES, [passes, passes, passes, MEND])
  const job = (await post('/fix', BODY)).json()
  t.match(job.result, {
    verification: 'partially_verified',
    reproduction: { reproduced: false, paths: [], attempts: 3, reason: 'It passes, although nothing is fixed.' },
    files: [{ path: 'shop/prices.py' }],
  })
  t.equal(git('diff', '--name-only', commit, job.result.branch), 'shop/prices.py')
  t.match((await logsOf(job.id)).join('\n'), /There is no test that shows the fault/)
})

test('a test may not be written into code, and the fix may not change the test', inJail, async t => {
  const intoCode = file('shop/prices.py', 'def average(items):\n    raise ZeroDivisionError\n')
  const withTest = {
    text: `${MEND.text}\n\`\`\`diff\n--- a/${PATH}\n+++ b/${PATH}\n@@ -5,3 +5,3 @@\n class PricesTest(unittest.TestCase):\n     def test_empty(self):\n-        self.assertEqual(average([]), 0)\n+        pass\n\`\`\`\n`,
  }
  const { post, git } = await buildProject(t, FILES, [intoCode, RED, withTest])
  const job = (await post('/fix', { ...BODY, allow_partial: true, max_refinements: 0 })).json()
  t.match(job.result, {
    verification: /^verified$/,
    reproduction: { reproduced: true, attempts: 2 },
    rejected_hunks: [{ path: PATH, detail: /has to make it pass as it is/ }],
  })
  t.match(git('show', `${job.result.branch}:${PATH}`), /assertEqual\(average\(\[\]\), 0\)/)
})

test('a reply that was held back costs the test, not the fix', inJail, async t => {
  const { post } = await buildProject(t, FILES, [{ text: '', finishReason: 'content_filter' }, MEND])
  const job = (await post('/fix', BODY)).json()
  t.match(job, {
    status: 'succeeded',
    result: {
      verification: 'partially_verified',
      reproduction: { reproduced: false, paths: [], attempts: 1, reason: /held back/ },
      files: [{ path: 'shop/prices.py' }],
    },
  })
})

test('tests of a file that the new test is added to run in their old form, too', inJail, async t => {
  const files = { ...FILES, [PATH]: testOf('self.assertEqual(average([1, 3]), 2)').replace('test_empty', 'test_two') }
  const wrong = {
    text: MEND.text.replace('sum(items) / len(items) if items else 0', '0'),
  }
  const instead = {
    text:
      `\`\`\`diff\n--- a/${PATH}\n+++ b/${PATH}\n@@ -6,2 +6,2 @@\n     def test_two(self):\n` +
      '-        self.assertEqual(average([1, 3]), 2)\n+        self.assertEqual(average([]), 0)\n```\n',
  }
  const { post } = await buildProject(t, files, [instead, wrong])
  const job = (await post('/fix', BODY)).json()
  t.match(job.result, { reproduction: { reproduced: true } }, JSON.stringify(job))
  t.match(job.result, {
    verification: 'partially_verified',
    runs: [{ kind: 'narrow' }, { kind: 'whole' }, { kind: 'old_tests', after: 1 }],
  })
})

test('an environment that is lost before the test is tried out fails no job', inJail, async t => {
  const { promise: isLost, resolve } = Promise.withResolvers<undefined>()
  const { app, model, logsOf } = await buildProject(t, FILES, [{ ...RED, slowTokensUntil: isLost }, MEND])
  const set = (checks: object) => app.inject({ method: 'PATCH', url: '/projects/shop', body: { checks } })
  await set({ install: 'true' })
  const { id } = (await app.inject({ method: 'POST', url: '/fix', body: BODY })).json()
  await model.waitForRequest(1)
  await set({ install: 'echo the lock file is gone >&2; exit 3' })
  resolve(undefined)
  const job = (await app.inject(`/jobs/${id}?wait=60`)).json()
  t.match(job, {
    status: 'succeeded',
    result: {
      verification: 'could_not_run',
      verification_reason: /install command ended with exit code 3: the lock file is gone/,
      reproduction: { reproduced: false, paths: [], attempts: 1, reason: /exit code 3: the lock file is gone/ },
      files: [{ path: 'shop/prices.py' }],
    },
  })
  t.match((await logsOf(id)).join('\n'), /There is no test that shows the fault/)
})

test('without a command or a place in the code no test can be shown to fail', async t => {
  const { post } = await buildProject(t, FILES, [MEND])
  const { verify: _verify, ...body } = BODY
  const job = (await post('/fix', body)).json()
  if (job.status !== undefined) {
    t.match(job.result.reproduction, { reproduced: false, attempts: 0, reason: /no command that runs tests/ })
  }
})
