import { execFileSync } from 'node:child_process'
import { test, type Test } from 'tap'
import { buildProject } from '../../helpers/project-with-model.ts'
import { inJail, needing } from '../../helpers/sandbox.ts'

const AVERAGE = 'def average(items):\n    return sum(items) / len(items)\n'
const FILES = {
  'shop/__init__.py': '',
  'shop/prices.py': AVERAGE,
  'tests/__init__.py': '',
  'tests/test_prices.py':
    'import unittest\nfrom shop.prices import average\n\n\nclass PricesTest(unittest.TestCase):\n' +
    '    def test_empty(self):\n        self.assertEqual(average([]), 0)\n\n' +
    '    def test_two(self):\n        self.assertEqual(average([1, 3]), 2)\n',
  'tests/test_other.py':
    'import unittest\n\n\nclass OtherTest(unittest.TestCase):\n    def test_fine(self):\n        pass\n',
}
const TRACE =
  'ERROR: test_empty (tests.test_prices.PricesTest.test_empty)\nTraceback (most recent call last):\n' +
  '  File "/srv/tests/test_prices.py", line 7, in test_empty\n    self.assertEqual(average([]), 0)\n' +
  '  File "/srv/shop/prices.py", line 2, in average\n    return sum(items) / len(items)\n' +
  'ZeroDivisionError: division by zero'
const BODY = { stacktrace: TRACE, project_name: 'shop', review: 'auto' }
const mend = (line: string) => ({
  text:
    'Mended.\n\n```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,2 +1,2 @@\n def average(items):\n' +
    `-    return sum(items) / len(items)\n+    return ${line}\n\`\`\`\n`,
})
const GOOD = mend('sum(items) / len(items) if items else 0')
const UNITTEST = { test: 'python3 -m unittest -v' }

async function fix(
  t: Test,
  {
    files = FILES,
    reply = GOOD,
    checks,
    ...more
  }: { files?: object; reply?: { text: string }; checks?: object; [name: string]: unknown },
) {
  const built = await buildProject(t, files as Record<string, string>, [reply])
  if (checks !== undefined) await built.app.inject({ method: 'PATCH', url: '/projects/shop', body: { checks } })
  const job = (await built.post('/fix', { ...BODY, ...more })).json()
  if (job.status !== 'succeeded') t.fail(JSON.stringify(job.error ?? job.status))
  return { ...built, job, result: job.result }
}

test("the project's own tests are run, the one of the trace alone first", inJail, async t => {
  const { result, app, job } = await fix(t, { checks: UNITTEST })
  t.match(result, {
    verification: /^verified$/,
    verification_reason: null,
    tests: { fixed: ['tests.test_prices.PricesTest > test_empty'], broken: [], flaky: [] },
    runs: [
      {
        kind: 'narrow',
        command: 'python3 -m unittest -v tests.test_prices.PricesTest.test_empty',
        before: 1,
        after: 0,
      },
      { kind: 'whole', command: 'python3 -m unittest -v', before: 1, after: 0 },
    ],
    baseline: { exit_code: 1 },
    after: { exit_code: 0 },
    reproduction: null,
  })
  const { data } = (await app.inject(`/jobs/${job.id}/transcript`)).json()
  t.same(
    data.filter(({ kind }: { kind: string }) => kind === 'command').map(({ step }: { step: string }) => step),
    ['baseline.narrow', 'baseline.narrow:1', 'baseline', 'baseline:1', 'verify.narrow', 'verify'],
  )
})

test('a fix that breaks another test is not verified, and says which', inJail, async t => {
  const { result } = await fix(t, { checks: UNITTEST, reply: mend('0') })
  t.match(result, {
    verification: 'unverified',
    verification_reason: /1 test that passed before/,
    tests: {
      fixed: ['tests.test_prices.PricesTest > test_empty'],
      broken: ['tests.test_prices.PricesTest > test_two'],
      flaky: [],
    },
  })
})

test('without any command nothing was run, and the reason says so', async t => {
  const { result } = await fix(t, {})
  t.match(result, { verification: 'unverified', verification_reason: /Nothing was run/, runs: [], baseline: null })
})

test('tests that cannot be run are no failure of the fix', inJail, async t => {
  const { result } = await fix(t, { checks: { test: 'python3 -m nosetests9' } })
  t.match(result, {
    verification: 'could_not_run',
    verification_reason:
      'Python has no module nosetests9. Set checks.install of the project, so that its dependencies are there.',
    runs: [{ kind: 'whole', before: 1, after: 1 }],
  })
})

test('tests that fail for another reason, too, leave a fix partially verified', inJail, async t => {
  const other = FILES['tests/test_other.py'].replace('pass', 'self.fail("old")')
  const { result } = await fix(t, { files: { ...FILES, 'tests/test_other.py': other }, checks: UNITTEST })
  t.match(result, {
    verification: 'partially_verified',
    verification_reason: /1 other test failed before, too/,
    tests: { fixed: ['tests.test_prices.PricesTest > test_empty'], broken: [] },
    after: { exit_code: 1 },
  })
})

test('a test that the fix edited runs in its old form, too', inJail, async t => {
  const text =
    `${mend('sum(items) / max(1, len(items)) + 1').text}\n\`\`\`diff\n--- a/tests/test_prices.py\n+++ b/tests/test_prices.py\n` +
    '@@ -6,5 +6,5 @@\n     def test_empty(self):\n-        self.assertEqual(average([]), 0)\n+        self.assertEqual(average([]), 1)\n' +
    ' \n     def test_two(self):\n-        self.assertEqual(average([1, 3]), 2)\n+        self.assertEqual(average([1, 3]), 3)\n```\n'
  const { result } = await fix(t, { checks: UNITTEST, reply: { text }, allow_paths: ['tests/**'] })
  t.match(result, {
    verification: 'partially_verified',
    verification_reason: /in their old form/,
    runs: [{ kind: 'narrow' }, { kind: 'whole', before: 1, after: 0 }, { kind: 'old_tests', before: null, after: 1 }],
  })
})

test("a client's own command is run as it is, with the narrow one beside it", inJail, async t => {
  const { result } = await fix(t, {
    verify: { command: 'python3 -m unittest tests.test_other && python3 -m unittest' },
  })
  t.match(result, {
    verification: /^verified$/,
    runs: [
      {
        kind: 'narrow',
        command: 'python3 -m unittest tests.test_other && python3 -m unittest tests.test_prices.PricesTest.test_empty',
      },
      { kind: 'whole', command: 'python3 -m unittest tests.test_other && python3 -m unittest' },
    ],
  })
})

test('a module that the change asks for and nobody installed is a fault of the change', inJail, async t => {
  const { 'tests/test_other.py': _other, ...files } = FILES
  const failing = files['tests/test_prices.py'].split('\n    def test_two')[0] ?? ''
  const text = GOOD.text.replace('@@ -1,2 +1,2 @@\n', '@@ -1,2 +1,3 @@\n+import numpy9\n')
  const { result } = await fix(t, {
    files: { ...files, 'tests/test_prices.py': failing },
    checks: UNITTEST,
    reply: { text },
  })
  t.match(result, {
    verification: 'unverified',
    runs: [
      { before: 1, after: 1 },
      { before: 1, after: 1 },
    ],
  })
})

test('a change that ends the tests with exit code 0 before they run is not verified', inJail, async t => {
  const text = GOOD.text.replace('@@ -1,2 +1,2 @@\n', '@@ -1,2 +1,4 @@\n+import os\n+os._exit(0)\n')
  const { result } = await fix(t, { checks: UNITTEST, reply: { text } })
  t.match(result, {
    verification: 'partially_verified',
    verification_reason: /tests/,
    tests: { fixed: [] },
    runs: [
      { before: 1, after: 0 },
      { before: 1, after: 0 },
    ],
  })
})

test('where nothing can be run, what an environment needs is told like the rest', async t => {
  const { app, post } = await buildProject(t, { ...FILES, 'requirements.txt': 'six==1.0\n' }, [GOOD], {
    env: { SANDBOX: 'none' },
  })
  await app.inject({ method: 'PATCH', url: '/projects/shop', body: { checks: UNITTEST } })
  t.match((await post('/fix', BODY)).json(), {
    status: 'succeeded',
    result: { verification: 'could_not_run', verification_reason: /sandbox/i, runs: [] },
  })
})

const NODE_FILES = {
  'package.json': '{"type": "module", "scripts": {"test": "node --test"}}',
  'src/prices.js':
    'export function average(items) {\n  return items.reduce((sum, item) => sum + item.price, 0) / items.length\n}\n',
  'test/prices.test.js':
    "import { test, describe } from 'node:test'\nimport assert from 'node:assert'\nimport { average } from '../src/prices.js'\n\n" +
    "describe('average', () => {\n  test('of nothing (null)', () => assert.equal(average(null), 0))\n" +
    "  test('of one', () => assert.equal(average([{ price: 2 }]), 2))\n})\n",
}
const NODE_TRACE =
  "✖ of nothing (null) (0.9ms)\n  TypeError [Error]: Cannot read properties of null (reading 'reduce')\n" +
  '      at average (file:///srv/src/prices.js:2:16)\n' +
  '      at TestContext.<anonymous> (file:///srv/test/prices.test.js:6:57)\n'
const NODE_MEND = {
  text:
    '```diff\n--- a/src/prices.js\n+++ b/src/prices.js\n@@ -1,3 +1,4 @@\n export function average(items) {\n' +
    '+  if (!items?.length) return 0\n   return items.reduce((sum, item) => sum + item.price, 0) / items.length\n }\n```\n',
}

test('node --test behind npm writes a report, and the test of the trace runs alone', inJail, async t => {
  const { result } = await fix(t, {
    files: NODE_FILES,
    reply: NODE_MEND,
    stacktrace: NODE_TRACE,
    checks: { test: 'npm test' },
  })
  t.match(result, {
    verification: 'partially_verified',
    guards: [{ path: 'src/prices.js', line: 2, kind: 'null_check' }],
    tests: { fixed: ['test/prices.test.js > average > of nothing (null)'], broken: [], flaky: [] },
    runs: [
      { command: "node --test '--test-name-pattern=of nothing \\(null\\)' test/prices.test.js", before: 1, after: 0 },
      { command: 'npm test', before: 1, after: 0 },
    ],
  })
})

test('a script that names a reporter is run as it is', inJail, async t => {
  const { result } = await fix(t, {
    files: {
      ...NODE_FILES,
      'package.json': '{"type": "module", "scripts": {"test": "node --test --test-reporter tap"}}',
    },
    reply: NODE_MEND,
    stacktrace: NODE_TRACE,
    checks: { test: 'npm test' },
  })
  t.match(result, {
    verification: 'partially_verified',
    guards: [{ kind: 'null_check' }],
    tests: { fixed: [/of nothing/], broken: [] },
    runs: [{ kind: 'narrow' }, { command: 'npm test', before: 1, after: 0 }],
  })
})

function hasPytest(): boolean {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import pytest'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

test(
  'pytest writes a report, wherever it stands in the command',
  needing(inJail, hasPytest(), 'pytest is not installed (apt-get install python3-pytest)'),
  async t => {
    const { result } = await fix(t, {
      files: { ...FILES, 'tests/test_more.py': 'import pytest\n\n\n@pytest.mark.skip\ndef test_later():\n    pass\n' },
      checks: { test: 'echo testing && /usr/bin/python3 -m pytest -q -p no:cacheprovider' },
    })
    t.match(result, {
      verification: /^verified$/,
      tests: { fixed: ['tests.test_prices.PricesTest > test_empty'], broken: [], flaky: [] },
      runs: [
        {
          command:
            'echo testing && /usr/bin/python3 -m pytest -q -p no:cacheprovider tests/test_prices.py::PricesTest::test_empty',
        },
        { kind: 'whole', before: 1, after: 0 },
      ],
    })
  },
)

test(
  'a narrow command that its runner does not take says nothing of a fix',
  needing(inJail, hasPytest(), 'pytest is not installed (apt-get install python3-pytest)'),
  async t => {
    // nobody here knows that the option has a value
    const conftest = 'def pytest_addoption(parser):\n    parser.addoption("--colour", nargs=2)\n'
    const { result } = await fix(t, {
      files: { ...FILES, 'conftest.py': conftest },
      checks: { test: '/usr/bin/python3 -m pytest -p no:cacheprovider -q --colour red blue' },
    })
    t.match(result, { verification: /^verified$/, runs: [{ kind: 'whole', before: 1, after: 0 }] })
  },
)

test('a report is read from all that a runner printed, although less of it is kept', inJail, async t => {
  // 2,000 events of go are 190,000 characters, and the test that matters stands in their middle
  const runner =
    'import json\nfrom shop.prices import average\n\n\ndef passes():\n    try:\n        return average([]) == 0\n' +
    '    except ZeroDivisionError:\n        return False\n\n\nfine = passes()\nfor number in range(2000):\n' +
    '    action = "fail" if number == 1000 and not fine else "pass"\n' +
    '    name = "TestNumber%d%s" % (number, "x" * 40)\n' +
    '    print(json.dumps({"Action": action, "Package": "shop", "Test": name}, separators=(",", ":")))\n' +
    'print("%d ended" % 2000)\nraise SystemExit(0 if fine else 1)\n'
  const { result } = await fix(t, {
    files: { ...FILES, 'run_tests.py': runner },
    checks: { test: 'python3 run_tests.py' },
  })
  t.match(result, {
    verification: /^verified$/,
    tests: { fixed: [`shop > TestNumber1000${'x'.repeat(40)}`], broken: [], flaky: [] },
    after: { exit_code: 0, stdout: /2000 ended/ },
  })
  const { result: other } = await fix(t, {
    files: { ...FILES, 'run_tests.py': runner.replace('"%d ended" % 2000', '"y" * 300000') },
    checks: { test: 'python3 run_tests.py' },
  })
  t.match(other.after.stdout, /characters left out/)
  t.ok(other.after.stdout.length < 110_000)
})
