import { execFileSync } from 'node:child_process'
import { test } from 'tap'
import { inJail, needing } from '../../helpers/sandbox.ts'
import { checkChange, checkChanges } from '../../helpers/task-checks.ts'

function hasPytest(): boolean {
  try {
    execFileSync('/usr/bin/python3', ['-c', 'import pytest'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

const withPytest = needing(inJail, hasPytest(), 'pytest is not installed (apt-get install python3-pytest)')
const PYTEST = '/usr/bin/python3 -m pytest -p no:cacheprovider'
const AVERAGE = 'def average(items):\n    return sum(items) / len(items)\n'
const TESTS = `from shop import average\n\n\ndef test_two():\n    assert average([1, 3]) == 2\n`
const EMPTY = '\n\ndef test_empty():\n    assert average([]) == 0\n'
const FILES = { 'pyproject.toml': '[project]\nname = "shop"\n', 'shop.py': AVERAGE, 'test_shop.py': TESTS }

test('a project of Python is tested by its settings', withPytest, async t => {
  const { results } = await checkChanges(t, {
    files: FILES,
    settings: { test: PYTEST },
    changes: [
      { 'shop.py': AVERAGE.replace('len(items)', 'max(1, len(items))'), 'test_shop.py': TESTS + EMPTY },
      { 'shop.py': AVERAGE.replace('/ len', '// -len') },
      { 'shop.py': `import numpy9\n${AVERAGE}` },
      { 'conftest.py': 'collect_ignore = ["test_shop.py"]\n', 'test_more.py': 'def test_more():\n    pass\n' },
      { 'conftest.py': 'collect_ignore = ["test_shop.py"]\n' },
    ],
  })
  const [good, broken, missing, ignoring, none] = results
  t.match(good, { rejection: null, tests: { passed: true, checks: [{ status: 'skipped' }, { command: PYTEST }] } })
  t.match(broken, { rejection: /assert -2 == 2/, tests: { broken: ['test_shop > test_two'] } })
  t.match(missing?.tests.checks[1], { status: 'failed', reason: /Python has no module numpy9/ })
  t.match(ignoring?.rejection, null, 'as many tests as before')
  t.match(none?.rejection, /does not begin any more/)
})

test('without pytest nobody tests, and the reason says what to set', inJail, async t => {
  const { tests, rejection } = await checkChange(t, {
    files: FILES,
    settings: { test: '/usr/bin/python3 -m pytest9' },
    change: { 'shop.py': AVERAGE.replace('len(items)', '0') },
  })
  t.equal(rejection, null)
  t.match(tests, {
    passed: null,
    checks: [
      { status: 'skipped' },
      { status: 'skipped', exitCode: 1, reason: /no module pytest9\. Set checks\.install/ },
    ],
  })
})

test('the first tests of a project decide', withPytest, async t => {
  const { results } = await checkChanges(t, {
    files: { 'shop.py': AVERAGE },
    settings: { test: PYTEST },
    changes: [{ 'test_shop.py': TESTS }, { 'test_shop.py': TESTS + EMPTY }, { 'README.md': 'x\n' }],
  })
  t.match(
    results.map(({ tests, rejection }) => [tests.passed, tests.checks[1]?.status, rejection === null]),
    [
      [true, 'passed', true],
      [false, 'failed', false],
      [null, 'skipped', true],
    ],
  )
})
