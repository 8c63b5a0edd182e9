import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { startModelServer, type Reply } from '../../fakes/model-server.ts'
import { listen } from '../../helpers/build-app.ts'
import { buildWithModel } from '../../helpers/build-with-model.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { inJail, openFolder } from '../../helpers/sandbox.ts'

const CODE: Reply = { text: 'main.py\n```python\nprint("Hello \\x1b[31m")\n```\n\nlib/words.txt\n```\none\n```\n' }
const SCRIPT: Reply = { text: '```bash\npython3 main.py\n```\n' }

/** A server with a scripted model, and the command line as its client. */
async function setUp(t: Test, replies: Reply[]) {
  const built = await buildWithModel(t, replies)
  const url = await listen(t, built)
  const home = openFolder(t)
  return { ...built, home, cli: createCli(home), server: ['--server', url] }
}

test('the questions of a generation are asked on the terminal, the program is run and written', inJail, async t => {
  const { cli, home, server, sent } = await setUp(t, [
    { text: 'Which colour?\u001B[2J' },
    { text: 'Nothing to clarify.' },
    CODE,
    SCRIPT,
  ])
  const { exitCode, stdout, stderr } = await cli.converse(
    ['generate', 'Say hello', '--clarify', '--output', 'hello', ...server],
    [
      [/Which colour\?\\u001B\[2J\nYour answer/, 'green'],
      [/May this be run\? bash run\.sh\n {4}python3 main\.py\n.*Run it in the sandbox\? \[y\/N\] $/s, 'y'],
    ],
  )
  t.equal(exitCode, EXIT.done, stderr)
  t.match(sent(1).at(-1), { content: /^green\n/ })
  t.match(stderr, /\nHello \\u001B\[31m\n/, 'what the program prints cannot steer the terminal')
  t.match(
    stdout,
    /^Wrote 3 files to hello: lib\/words\.txt, main\.py, run\.sh\nRun: exit code 0 after .*\nJob \S+: 4 calls of the model, /,
  )
  t.equal(readFileSync(join(home, 'hello', 'lib', 'words.txt'), 'utf8'), 'one\n')
  t.strictSame(readdirSync(join(home, 'hello')).sort(), ['lib', 'main.py', 'run.sh'], 'no temporary file is left')
})

test('--notify reaches the job, which keeps it', async t => {
  const { app, cli, server } = await setUp(t, [CODE, SCRIPT, CODE, SCRIPT])
  const notifyOf = async (...words: string[]): Promise<unknown> => {
    const { exitCode, stderr } = await cli.call(['generate', 'Say hello', '--execute', 'never', ...words, ...server])
    t.equal(exitCode, EXIT.done, stderr)
    const [{ id }] = (await app.inject('/jobs')).json().data
    return (await app.inject(`/jobs/${id}/transcript`)).json().data[0].body.notify
  }
  t.same(await notifyOf('--notify', 'waiting,done', '--output', 'a'), ['waiting', 'done'])
  t.equal(await notifyOf('--output', 'b'), undefined)
  const wrong = await cli.call(['generate', 'Say hello', '--notify', 'ended', ...server])
  t.equal(wrong.exitCode, EXIT.usage)
  t.match(wrong.stderr, /Expected waiting, done, or waiting,done/)
})

test('Enter skips a question and n leaves the program unrun', async t => {
  const { cli, server, sent, model } = await setUp(t, [
    { text: 'Which colour?' },
    { text: 'I assume green.' },
    CODE,
    SCRIPT,
  ])
  const { exitCode, stdout, asked } = await cli.converse(
    ['generate', 'Say hello', '--clarify', '--execute', 'ask', ...server],
    [
      [/Your answer/, ''],
      [/\[y\/N\]/, 'n'],
    ],
  )
  t.match({ exitCode, asked }, { exitCode: EXIT.done, asked: 2 })
  t.match(sent(1).at(-1), { content: /assum/i })
  t.equal(model.requests.length, 4)
  t.match(stdout, /^Wrote 3 files to generated: .*\nIt was not run\./)
  t.match(stdout, /Next: faultline heal --folder generated runs it in the sandbox/)
  t.notMatch(stdout, 'bash run.sh')
})

test('a file that differs is overwritten only by who says so, and nothing else is written then', async t => {
  const { cli, home, server } = await setUp(t, [CODE, SCRIPT, CODE, SCRIPT, CODE, SCRIPT])
  mkdirSync(join(home, 'out'))
  writeFileSync(join(home, 'out', 'main.py'), 'mine\n')
  writeFileSync(join(home, 'out', 'run.sh'), 'python3 main.py\n')
  const refused = await cli.call(['generate', 'Say hello', '--output', 'out', '--execute', 'never', '--yes', ...server])
  t.match(refused, {
    exitCode: EXIT.failed,
    stdout: '',
    stderr:
      /1 file in "out" differs from what was made: main\.py\. Nothing was written\.\nfix: .*jobs files \S+ --output .*--force/,
  })
  t.strictSame(readdirSync(join(home, 'out')).sort(), ['main.py', 'run.sh'])
  t.equal(readFileSync(join(home, 'out', 'main.py'), 'utf8'), 'mine\n')

  const id = /jobs files (\S+) --output/.exec(refused.stderr)?.[1] ?? ''
  t.match(await cli.call(['jobs', 'files', id, '--output', 'elsewhere', ...server]), {
    exitCode: EXIT.done,
    stdout: 'Wrote 3 files to elsewhere: lib/words.txt, main.py, run.sh\n',
  })
  const declined = await cli.converse(
    ['generate', 'Say hello', '--output', 'out', '--execute', 'never', ...server],
    [[/differs .*Overwrite\? \[y\/N\] $/, 'n']],
  )
  t.match(declined, { exitCode: EXIT.failed, asked: 1 })
  t.equal(readFileSync(join(home, 'out', 'main.py'), 'utf8'), 'mine\n')
  t.match(await cli.call(['generate', 'Say hello', '--output', 'out', '--execute', 'never', '--force', ...server]), {
    exitCode: EXIT.done,
  })
  t.match(readFileSync(join(home, 'out', 'main.py'), 'utf8'), /Hello/)
})

test('a link in the output folder leads nothing out of it', async t => {
  const { cli, home, server } = await setUp(t, [CODE, SCRIPT])
  mkdirSync(join(home, 'out'))
  mkdirSync(join(home, 'secret'))
  symlinkSync(join(home, 'secret'), join(home, 'out', 'lib'))
  t.match(await cli.call(['generate', 'Say hello', '--output', 'out', '--force', ...server]), {
    exitCode: EXIT.usage,
    stderr: /"lib" leads through a file or a link; nothing was written/,
  })
  t.strictSame([readdirSync(join(home, 'secret')), readdirSync(join(home, 'out'))], [[], ['lib']])
})

test('without a terminal: the program is not run by default, and a question is an error that says how to reply', async t => {
  const { cli, server } = await setUp(t, [CODE, SCRIPT, CODE, SCRIPT, CODE, SCRIPT])
  const plain = await cli.call(['generate', '--json', ...server], { input: 'Say hello' })
  t.match(JSON.parse(plain.stdout), { type: 'generate', status: 'succeeded', result: { run: null } })
  t.match(plain.stderr, /generate: /, 'progress goes to stderr')
  const said = await cli.call(['generate', 'Say hello', '--output', 'said', ...server])
  t.match(said, { exitCode: EXIT.failed, stderr: /will not be run: there is no terminal .*--yes runs it/ })

  const asked = await cli.call(['generate', 'Say hello', '--execute', 'ask', '--json', ...server])
  t.match(
    { ...asked, stdout: JSON.parse(asked.stdout) },
    {
      exitCode: EXIT.failed,
      stdout: {
        code: 'REPLY_NEEDED',
        detail: /waits for a reply.*May this be run/,
        fix: /faultline jobs reply \S+ --approve or --reject/,
      },
    },
  )
  const id = /jobs reply (\S+)/.exec(asked.stdout)?.[1] ?? ''
  t.match(await cli.call(['jobs', 'reply', id, '--reject', ...server]), {
    exitCode: EXIT.done,
    stdout: /Status +succeeded\n(?:.*\n)*3 files: lib\/words\.txt, main\.py, run\.sh\nIt was not run\.\n/,
  })
})

test('a budget that is used up is asked about, and --yes raises none', async t => {
  const { cli, server } = await setUp(t, [CODE, SCRIPT, CODE, CODE])
  const call = ['generate', 'Say hello', '--execute', 'never', '--budget-tokens', '10', '--force', ...server]
  const raised = await cli.converse(call, [
    [/The budget is used up\.\nSpent .* of 10 tokens\.\nNew limit of tokens, more than \d+ /, '11'],
    [/New limit of tokens/, 'many'],
    [/New limit of tokens/, '1,000,000'],
  ])
  t.match(raised, { exitCode: EXIT.done, asked: 3, stderr: /Expected a number above \d+\./ })
  t.match(await cli.converse(call, [[/New limit of tokens/, '']]), {
    exitCode: EXIT.failed,
    asked: 1,
    stderr: /The budget is used up, and it was not raised\.\nfix: "faultline jobs files \S+" lists what was done/,
  })
  t.match(await cli.call([...call, '--yes']), {
    exitCode: EXIT.failed,
    stderr: /The budget is used up, and it was not raised/,
  })
})

test('--dry-run shows what would be asked and asks nobody', async t => {
  const { cli, home, server, model } = await setUp(t, [])
  writeFileSync(join(home, 'api.md'), 'GET /hello\n')
  const shown = await cli.call(['generate', 'Say hello', '--file', 'api.md', '--dry-run', ...server])
  t.match(shown, {
    exitCode: EXIT.done,
    stdout: /^--- system ---\n.*--- user ---\n.*Say hello.*\d+ tokens; no model was asked\.\n$/s,
  })
  t.match(shown.stdout, /GET \/hello/)
  t.match(JSON.parse((await cli.call(['generate', 'Say hello', '--dry-run', '--json', ...server])).stdout), {
    messages: [{ role: 'system' }, { role: 'user' }],
    tokens: Number,
    usd: null,
  })
  t.equal(model.requests.length, 0)
})

test('a process of its own generates, runs and heals without a server', inJail, async t => {
  const model = await startModelServer({
    chat: [
      { text: 'main.py\n```python\nprint(1 / 0)\n```\n' },
      SCRIPT,
      { text: '```diff\n--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-print(1 / 0)\n+print(42)\n```\n' },
    ],
  })
  t.teardown(() => model.close())
  const home = openFolder(t)
  const run = await createCli(home).run(
    ['generate', 'Print 42', '--self-heal', '--yes', '--data-dir', join(home, 'data')],
    { env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } },
  )
  t.equal(run.exitCode, EXIT.done, run.stderr)
  t.match(
    run.stdout,
    /Healed: run 2 worked\.\n {2}run 1 {2}exit code 1 after .* {2}ZeroDivisionError: division by zero\n {2}run 2 {2}exit code 0/,
  )
  t.match(run.stderr, /ZeroDivisionError: division by zero\n(?:.*\n)*42\n/, 'what it printed was shown as it came')
  t.equal(readFileSync(join(home, 'generated', 'main.py'), 'utf8'), 'print(42)\n')
})

test('Ctrl-C cancels the job', async t => {
  const model = await startModelServer({ chat: [{ hang: true }] })
  t.teardown(() => model.close())
  const home = openFolder(t)
  const cli = createCli(home)
  const data = ['--data-dir', join(home, 'data')]
  const child = cli.start(['generate', 'Say hello', ...data], {
    env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' },
  })
  await model.waitForRequest(1)
  child.kill('SIGINT')
  t.match(await child.finished, { exitCode: EXIT.interrupted, stderr: /Interrupted/ })
  t.match(await cli.run(['jobs', ...data]), { exitCode: EXIT.done, stdout: /cancelled {2}generate/ })
  t.strictSame(readdirSync(home), ['data'], 'nothing was written')
})

test("a beginner's mistakes are told with what to do", async t => {
  const home = openFolder(t)
  const cli = createCli(home)
  const data = ['--data-dir', join(home, 'data')]
  writeFileSync(join(home, 'file.txt'), '')
  t.match(await cli.run(['generate', 'Say hello', ...data]), {
    exitCode: EXIT.missing,
    stdout: '',
    stderr: /No model is configured.*\nfix: Set LLM_BASE_URL and LLM_MODEL/,
  })
  t.match(await cli.call(['generate', ...data]), {
    exitCode: EXIT.usage,
    stderr: /There is no prompt.*\nfix: faultline generate "/,
  })
  t.match(await cli.converse(['generate', ...data], [[/^What program do you want\? $/, '']]), {
    exitCode: EXIT.usage,
    asked: 1,
    stderr: /There is no prompt/,
  })
  t.match(await cli.call(['generate', 'x', '--output', 'file.txt', ...data]), {
    exitCode: EXIT.usage,
    stderr: /"file\.txt" is a file, not a folder/,
  })
  t.match(await cli.call(['generate', 'x', '--prompt-file', 'file.txt', ...data]), {
    exitCode: EXIT.usage,
    stderr: /stands on the command line and in --prompt-file/,
  })
  t.match(await cli.call(['generate', '--prompt-file', 'nope.txt', ...data]), {
    exitCode: EXIT.usage,
    stderr: /There is no file .*nope\.txt/,
  })
  t.match(await cli.call(['generate', '--file', 'Say hello', ...data], { input: 'x' }), {
    exitCode: EXIT.usage,
    stderr: /ENOENT.*\nfix: The prompt comes before --file/,
  })
  t.match(await cli.call(['generate', 'x', '--lite', '--clarify', ...data]), {
    exitCode: EXIT.usage,
    stderr: /exclude each other/,
  })
  t.match(await cli.call(['generate', 'x', '--temperature', '3', ...data]), { exitCode: EXIT.usage, stderr: /0 to 2/ })
  t.strictSame(readdirSync(home).sort(), ['data', 'file.txt'])
})
