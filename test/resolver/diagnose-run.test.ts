import { test } from 'tap'
import { diagnoseRun, type FailedRun } from '../../src/resolver/diagnose-run.ts'

const deps = { outlineText: () => null, countTokens: (text: string) => Math.ceil(text.length / 4), maxTokens: 4000 }

function diagnose(files: Record<string, string>, run: Partial<FailedRun>) {
  return diagnoseRun(
    { stdout: '', stderr: '', ending: 'exit code 1', ...run },
    { paths: Object.keys(files), files: new Map(Object.entries(files)) },
    deps,
  )
}

const marked = (context: string): string[] =>
  context
    .split('\n')
    .filter(line => line.startsWith('>>>'))
    .map(line => line.replace(/^>>> *(\d+) \| ?/, '$1: '))

const PYTHON = {
  'main.py': 'from shop import total\n\nprint(total([]))\n',
  'shop/__init__.py': 'def total(items):\n    return items[0]\n',
  'run.sh': 'python3 main.py\n',
}
const TRACEBACK =
  'Traceback (most recent call last):\n  File "/workspace/main.py", line 3, in <module>\n' +
  '    print(total([]))\n  File "/workspace/shop/__init__.py", line 2, in total\n    return items[0]\n' +
  '           ~~~~~^^^\nIndexError: list index out of range\n'

test('of a traceback the failing line and its callers are marked, the failing file first', t => {
  const found = diagnose(PYTHON, { stderr: TRACEBACK })
  t.same(found.paths, ['shop/__init__.py', 'main.py'])
  t.same(marked(found.context), ['2:     return items[0]', '3: print(total([]))'])
  t.equal(found.summary, 'IndexError: list index out of range')
  t.end()
})

test('what runtimes, compilers and shells print of a failure leads to its line', t => {
  const cases: Array<[name: string, files: Record<string, string>, run: Partial<FailedRun>, lines: string[]]> = [
    [
      'an ES module',
      { 'src/main.mjs': 'const a = {}\nfunction go () {\n  a.b.c()\n}\n\ngo()\n' },
      {
        stderr:
          'file:///workspace/src/main.mjs:3\n  a.b.c()\n      ^\n\n' +
          "TypeError: Cannot read properties of undefined (reading 'c')\n" +
          '    at go (file:///workspace/src/main.mjs:3:7)\n    at file:///workspace/src/main.mjs:6:1\n' +
          '    at ModuleJob.run (node:internal/modules/esm/module_job:345:25)\n\nNode.js v24.0.0\n',
      },
      ['3:   a.b.c()', '6: go()'],
    ],
    [
      'a CommonJS module that cannot be read',
      { 'main.js': 'a\nb\nconst x = ;\n' },
      {
        stderr:
          "/workspace/main.js:3\nconst x = ;\n          ^\n\nSyntaxError: Unexpected token ';'\n" +
          '    at wrapSafe (node:internal/modules/cjs/loader:1464:18)\n\nNode.js v24.0.0\n',
      },
      ['3: const x = ;'],
    ],
    [
      'Python that cannot be read',
      { 'main.py': 'a\nx = = 1\n' },
      { stderr: '  File "/workspace/main.py", line 2\n    x = = 1\n        ^\nSyntaxError: invalid syntax\n' },
      ['2: x = = 1'],
    ],
    [
      'a command that bash does not find',
      { 'run.sh': 'set -e\n\nfoo bar\n' },
      { stderr: 'run.sh: line 3: foo: command not found\n' },
      ['3: foo bar'],
    ],
    [
      'a test of pytest',
      { 'test_a.py': 'def test_x():\n    assert 1 == 2\n' },
      {
        stdout:
          '=== FAILURES ===\n___ test_x ___\n\n    def test_x():\n>       assert 1 == 2\n' +
          'E       assert 1 == 2\n\ntest_a.py:2: AssertionError\n=== 1 failed in 0.02s ===\n',
      },
      ['2:     assert 1 == 2'],
    ],
    [
      'Java',
      {
        'src/Main.java':
          'public class Main {\n  static void go () {\n    throw new IllegalStateException("x");\n  }\n' +
          '  public static void main (String[] a) {\n    go();\n  }\n}\n',
      },
      {
        stderr:
          'Exception in thread "main" java.lang.IllegalStateException: x\n\tat Main.go(Main.java:3)\n' +
          '\tat Main.main(Main.java:6)\n',
      },
      ['3:     throw new IllegalStateException("x");', '6:     go();'],
    ],
    [
      'Go',
      {
        'main.go': 'package main\n\nimport "fmt"\n\nfunc main() {\n\ta := []int{1}\n\tn := 5\n\tfmt.Println(a[n])\n}\n',
      },
      {
        stderr:
          'panic: runtime error: index out of range [5] with length 1\n\ngoroutine 1 [running]:\n' +
          'main.main()\n\t/workspace/main.go:8 +0x1d\nexit status 2\n',
      },
      ['8: \tfmt.Println(a[n])'],
    ],
    [
      'a C compiler',
      { 'main.c': 'int main() {\n  return x;\n}\n' },
      { stderr: "main.c: In function 'main':\nmain.c:2:10: error: 'x' undeclared\n" },
      ['2:   return x;'],
    ],
  ]
  for (const [name, files, run, lines] of cases) t.same(marked(diagnose(files, run).context), lines, name)
  t.end()
})

test('output without a trace has no code, and a signature of its end', t => {
  const [first, second] = [
    diagnose(PYTHON, { stdout: 'one\n', stderr: 'it does not work\n' }),
    diagnose(PYTHON, { stdout: 'one\n', stderr: 'nothing works\n' }),
  ]
  t.match(first, { context: '', paths: [], summary: null })
  t.not(first.signature, second.signature)
  const late = 'a\nb\nc\nd\nit does not work\n'
  t.equal(
    diagnose(PYTHON, { stdout: 'one\n', stderr: late }).signature,
    diagnose(PYTHON, { stdout: 'two\n', stderr: late }).signature,
  )
  t.equal(diagnose({}, {}).context, '')
  t.end()
})

const raised = (message: string) => ({ stderr: TRACEBACK.replace('list index out of range', message) })

test('equal faults have one signature, whatever changes from run to run', t => {
  const pairs = [
    ['<Item object at 0x7f1122334455>', '<Item object at 0x7faabbccdd00>'],
    ['at 2026-11-22T10:00:00.123', 'at 2026-11-22T11:20:09.9'],
    ['at 10:00:01', 'at 10:00:02'],
    ['took 1.23 seconds', 'took 2.5 seconds'],
    ['in /tmp/tmpab12/x', 'in /tmp/tmpcd34/x'],
    ['pid 123', 'pid 4567'],
    ['id 123e4567-e89b-12d3-a456-426614174000', 'id 987e4567-e89b-12d3-a456-426614174999'],
    ['since 1763813999', 'since 1763814002.25'],
  ] as const
  for (const [a, b] of pairs) t.equal(diagnose(PYTHON, raised(a)).signature, diagnose(PYTHON, raised(b)).signature, a)
  t.end()
})

test('different faults have different signatures: another message, line of code, type or end', t => {
  const moved = { ...PYTHON, 'shop/__init__.py': '# a comment\ndef total(items):\n    return items[0]\n' }
  const later = { stderr: TRACEBACK.replace('__init__.py", line 2', '__init__.py", line 3') }
  const here = diagnose(PYTHON, { stderr: TRACEBACK }).signature
  t.equal(diagnose(moved, later).signature, here, 'the same line of code further down is the same place')
  const others = [
    diagnose(PYTHON, raised('3 items')),
    diagnose(PYTHON, raised('4 items')),
    diagnose(PYTHON, { stderr: TRACEBACK.replace('IndexError', 'KeyError') }),
    diagnose(PYTHON, { stderr: TRACEBACK, ending: 'it did not end in time and was killed' }),
    diagnose(
      { ...PYTHON, 'shop/__init__.py': 'def total(items):\n    return items[1]\n' },
      { stderr: TRACEBACK.replaceAll('items[0]', 'items[1]') },
    ),
  ].map(({ signature }) => signature)
  t.equal(new Set([here, ...others]).size, others.length + 1)
  t.end()
})

test('a trace behind a flood of output is found', t => {
  const stdout = 'File "x", line '.repeat(300_000)
  const { summary } = diagnose(PYTHON, { stdout, stderr: `${'a:1:'.repeat(1_000_000)}\n${TRACEBACK}` })
  t.equal(summary, diagnose(PYTHON, { stderr: TRACEBACK }).summary)
  t.end()
})
