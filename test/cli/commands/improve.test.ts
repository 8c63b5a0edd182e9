import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import type { Reply } from '../../fakes/model-server.ts'
import { listen } from '../../helpers/build-app.ts'
import { buildWithModel } from '../../helpers/build-with-model.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { inJail, openFolder } from '../../helpers/sandbox.ts'

const GREETING: Reply = {
  text:
    '```diff\n--- a/hello.py\n+++ b/hello.py\n@@ -1,2 +1,2 @@\n def hello():\n-    print("Hello")\n' +
    '+    print("Hola\u001B[8m")\n--- /dev/null\n+++ b/docs/es.md\n@@ -0,0 +1 @@\n+Hola\n```\n',
}

/** A folder with a program, and the command line in it as the client of a server with a scripted model. */
async function setUp(t: Test, replies: Reply[]) {
  const built = await buildWithModel(t, replies)
  const url = await listen(t, built)
  const home = openFolder(t)
  mkdirSync(join(home, 'data'))
  for (const [name, content] of [
    ['hello.py', 'def hello():\n    print("Hello")\n\nhello()\n'],
    ['run.sh', 'python3 hello.py\n'],
    ['.gitignore', 'data/\n'],
    ['data/big.csv', '1\n'],
    ['.env', 'KEY=1\n'],
    ['blob.bin', 'a\0b'],
  ] as const) {
    writeFileSync(join(home, name), content)
  }
  chmodSync(join(home, 'hello.py'), 0o750)
  const read = (name: string) => readFileSync(join(home, name), 'utf8')
  return { ...built, home, read, cli: createCli(home), server: ['--server', url] }
}

test('changes to the current folder are shown, asked about and written', async t => {
  const { cli, home, read, server, sent } = await setUp(t, [GREETING])
  const { exitCode, stdout, stderr } = await cli.converse(
    ['improve', ...server],
    [
      [/^3 files of "\." \(left out: 1 secret, 1 binary\)\nHow do you want to improve it\? $/, 'Greet in Spanish'],
      [/Are these changes right\?\n.*\+ {4}print\("Hola\\u001B\[8m"\).*Apply these changes\? \[y\/N\] $/s, 'y'],
    ],
  )
  t.equal(exitCode, EXIT.done, stderr)
  t.match(sent(0)[2], { content: 'Greet in Spanish' })
  t.notMatch(sent(0)[1]?.content, /KEY=1|big\.csv|blob/)
  t.match(stdout, /^ {2}changed {2}docs\/es\.md\n {2}changed {2}hello\.py\nJob /)
  t.match(read('hello.py'), /Hola/)
  t.equal(statSync(join(home, 'hello.py')).mode & 0o777, 0o750, 'a file keeps its mode')
  t.equal(read('docs/es.md'), 'Hola\n')
})

test('a rejected change and one that nobody could be asked about leave the folder as it was', async t => {
  const { cli, read, server } = await setUp(t, [GREETING, GREETING])
  t.match(
    await cli.converse(
      ['improve', 'Greet in Spanish', ...server],
      [
        [/Apply these changes/, 'n'],
        [/different/, ''],
      ],
    ),
    {
      exitCode: EXIT.failed,
      stdout: /^Nothing was changed\.\n/,
    },
  )
  const asked = await cli.call(['improve', 'Greet in Spanish', ...server])
  t.match(asked, {
    exitCode: EXIT.failed,
    stdout: '',
    stderr: /waits for a reply.*\nfix: faultline jobs reply \S+ --approve, --reject, or --reject --comment/,
  })
  t.match(read('hello.py'), /Hello/)
})

test('who rejects may say what should be different, and is shown what the model makes of it', async t => {
  const words = { text: `A greeting\u001B[2J.\n\n${GREETING.text}` }
  const { cli, read, server, sent, model } = await setUp(t, [
    words,
    { text: words.text.replaceAll('Hola', 'Salut').replace('A greeting', 'In French') },
  ])
  const { exitCode, asked, stderr } = await cli.converse(
    ['improve', 'Greet in Spanish', ...server],
    [
      [/What the model says:\nA greeting\\u001B\[2J\.\n\n.*Hola.*Apply these changes\? \[y\/N\] $/s, 'n'],
      [/^What should be different\? .*\(Enter: end without changes\): $/, '  In French, please. '],
      [/What the model says:\nIn French.*\+ {4}print\("Salut.*Apply these changes\? \[y\/N\] $/s, 'y'],
    ],
  )
  t.match({ exitCode, asked }, { exitCode: EXIT.done, asked: 3 }, stderr)
  t.match(sent(1).at(-1)?.content, />\nIn French, please\.\n</)
  t.match(read('hello.py'), /Salut/)
  t.equal(read('docs/es.md'), 'Salut\n')
  t.equal(model.requests.length, 2)
})

test('where the model is not asked again, no comment is asked for', async t => {
  const { cli, server } = await setUp(t, [GREETING])
  t.match(
    await cli.converse(
      ['improve', 'Greet in Spanish', '--max-refinements', '0', ...server],
      [[/Apply these changes/, 'n']],
    ),
    { exitCode: EXIT.failed, stdout: /^Nothing was changed\.\n/ },
  )
})

test('files that were changed meanwhile are named and nothing is written', async t => {
  const { cli, home, read, server } = await setUp(t, [GREETING, GREETING])
  /** Approves, and writes another file of that name in the same moment. */
  const whileAsked = (name: string) => {
    const question = /Apply these changes/
    const test = (said: string) => question.test(said) && (writeFileSync(join(home, name), 'mine\n'), true)
    return cli.converse(['improve', 'Greet in Spanish', ...server], [[Object.assign(/x/, { test }), 'y']])
  }
  t.match(await whileAsked('hello.py'), {
    exitCode: EXIT.failed,
    stdout: '',
    stderr:
      /1 file is not as sent to the job: hello\.py\. Nothing was written\.\nfix: "faultline jobs diff \S+ \| git apply"/,
  })
  t.strictSame([read('hello.py'), readdirSync(home).includes('docs')], ['mine\n', false])
  writeFileSync(join(home, 'hello.py'), 'def hello():\n    print("Hello")\n')
  mkdirSync(join(home, 'docs'))
  t.match(await whileAsked('docs/es.md'), { exitCode: EXIT.failed, stderr: /not as sent to the job: docs\/es\.md\./ })
  t.match(read('hello.py'), /Hello/)
})

test('--select sends only the files that it names, --yes approves, --json prints the job', async t => {
  const { cli, read, server, sent } = await setUp(t, [
    { text: '```diff\n--- a/hello.py\n+++ b/hello.py\n@@ -4 +4 @@\n-hello()\n+hello(2)\n```\n' },
  ])
  const run = await cli.call(['improve', 'Twice', '--select', '*.py', '--yes', '--json', ...server])
  t.match(
    { ...run, stdout: JSON.parse(run.stdout) },
    {
      exitCode: EXIT.done,
      stdout: { type: 'improve', status: 'succeeded', result: { files: [{ path: 'hello.py' }], decision: 'approve' } },
    },
  )
  t.notMatch(sent(0)[1]?.content, /run\.sh/)
  t.match(read('hello.py'), /hello\(2\)/)
})

test("gpt-engineer's selection chooses what the model is shown", async t => {
  const { cli, home, server, sent, model } = await setUp(t, [
    { text: '```diff\n--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-python3 hello.py\n+python3 -O hello.py\n```\n' },
  ])
  writeFileSync(join(home, 'data', 'selection.toml'), '[files]\n"run.sh" = "selected"\n')
  t.match(
    await cli.call([
      'improve',
      'Optimise',
      '--select-toml',
      'data/selection.toml',
      '--model',
      'other',
      '--temperature',
      '0.5',
      '--yes',
      ...server,
    ]),
    { exitCode: EXIT.done, stdout: /changed {2}run\.sh/ },
  )
  t.notMatch(sent(0)[1]?.content, /def hello/)
  t.match(model.requests[0]?.body, { model: 'other', temperature: 0.5 })
  t.match(await cli.call(['improve', 'Optimise', '--select-toml', 'nope.toml', ...server]), {
    exitCode: EXIT.usage,
    stderr: /"nope\.toml" of --select-toml cannot be read: ENOENT/,
  })
})

test('of an earlier job the files are taken, and its changes kept', async t => {
  const { cli, server } = await setUp(t, [
    { text: 'a.py\n```python\nx = 1\n```\n' },
    { text: '```bash\npython3 a.py\n```\n' },
    { text: '```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n```\n' },
  ])
  const { id } = JSON.parse((await cli.call(['generate', 'x', '--json', ...server])).stdout)
  t.match(await cli.call(['improve', 'Two', '--job', id, '--yes', ...server]), {
    exitCode: EXIT.done,
    stdout: /changed {2}a\.py\nThe job keeps them: faultline jobs diff /,
  })
})

test("a beginner's mistakes are told with what to do", async t => {
  const { cli, home, server } = await setUp(t, [])
  mkdirSync(join(home, 'empty'))
  const refused = async (args: string[], pattern: RegExp) =>
    t.match(await cli.call([...args, ...server]), { exitCode: EXIT.usage, stdout: '', stderr: pattern }, args.join(' '))
  await refused(['improve', 'x', '--folder', 'nope'], /There is no folder "nope"/)
  await refused(['improve', 'x', '--folder', 'hello.py'], /"hello\.py" is a file, not a folder/)
  await refused(
    ['improve', 'x', '--folder', 'empty'],
    /There is no file in "empty" to work on\.\nfix: Go to the folder/,
  )
  await refused(
    ['improve', 'x', '--select', '*.rs'],
    /There is no file in "\." to work on.*\nfix: The globs of --select match none/,
  )
  await refused(
    ['improve', '--select', '*.py', 'Greet in Spanish'],
    /--select took "Greet in Spanish" as a glob\.\nfix: Put the prompt first/,
  )
  await refused(['improve', 'x', '--push'], /--push work on projects alone/)
  await refused(['improve', 'x', '--folder', '.', '--job', '1'], /--folder and --job exclude each other/)
  await refused(['improve'], /There is no prompt/)
  await refused(['improve', 'x', '--project', 'nope'], /There is no project "nope"\.\nfix: "faultline projects"/)
  await refused(['heal', 'x'], /no terminal to ask on\.\nfix: Add --yes/)
  await refused(['heal', '--success-exit-codes', '300', '--yes'], /0 to 255/)
  t.match(await cli.call(['heal', '--entrypoint', 'start.sh', '--yes', ...server]), {
    exitCode: EXIT.failed,
    stderr: /no "start\.sh" among the files.*\nfix: Name the script/,
  })
})

test('a program in a folder is healed: the changes are shown, asked about and written', inJail, async t => {
  const fix: Reply = { text: '```diff\n--- a/hello.py\n+++ b/hello.py\n@@ -1 +1 @@\n-print(1 / 0)\n+print(1)\n```\n' }
  const { cli, home, read, server } = await setUp(t, [fix, fix])
  writeFileSync(join(home, 'hello.py'), 'print(1 / 0)\n')
  const declined = await cli.converse(['heal', ...server], [[/\+print\(1\)\nApply these changes\?/, 'n']])
  t.match(declined, {
    exitCode: EXIT.done,
    asked: 1,
    stdout: /^Healed: run 2 worked\.\n(?:.*\n)+Nothing was written; the job keeps the changes: faultline jobs diff /,
  })
  t.equal(read('hello.py'), 'print(1 / 0)\n')
  t.match(await cli.converse(['heal', 'Prints 1', ...server], [[/Apply these changes/, 'y']]), {
    exitCode: EXIT.done,
    stdout: / {2}changed {2}hello\.py\nJob /,
  })
  t.equal(read('hello.py'), 'print(1)\n')
  t.match(
    await cli.call(['heal', '--yes', '--json', ...server]),
    { exitCode: EXIT.done, stdout: /"healed": true/ },
    'what works already asks nobody',
  )
})

test('what is not healed exits with 1, says why, and nothing is written', inJail, async t => {
  const useless: Reply = {
    text: '```diff\n--- a/hello.py\n+++ b/hello.py\n@@ -1 +1 @@\n-print(1 / 0)\n+print(2 / 0)\n```\n',
  }
  const { cli, home, read, server } = await setUp(t, [useless])
  writeFileSync(join(home, 'hello.py'), 'print(1 / 0)\n')
  t.match(await cli.call(['heal', '--max-attempts', '2', '--yes', ...server]), {
    exitCode: EXIT.failed,
    stdout:
      /^Not healed after 2 runs: the (?:same error came again|attempts were used up)\.\n {2}run 1 {2}exit code 1 .*ZeroDivisionError/,
  })
  t.equal(read('hello.py'), 'print(1 / 0)\n')
  t.notOk(readdirSync(home).some(name => name.startsWith('.faultline')))
})
