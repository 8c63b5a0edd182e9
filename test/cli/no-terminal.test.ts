import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { createCli } from '../helpers/run-cli.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'

const CODE: Reply = { text: 'main.py\n```python\nprint(6 * 7)\n```\n' }
const SCRIPT: Reply = { text: '```bash\npython3 main.py\n```\n' }
const BY_HAND = /faultline: The program will not be run: there is no terminal to ask on\. --yes runs it in the sandbox/

const editTo = (text: string): Reply => ({
  text: `Say ${text}.\n\n\`\`\`diff\n--- a/main.py\n+++ b/main.py\n@@ -1 +1 @@\n-print(1)\n+print(${text})\n\`\`\`\n`,
})

/** Processes of their own whose standard streams are pipes, in a folder with a program. */
async function setUp(t: Test, chat: Reply[]) {
  const model = await startModelServer({ chat })
  t.teardown(() => model.close())
  const home = openFolder(t)
  mkdirSync(join(home, 'shop'))
  writeFileSync(join(home, 'shop', 'main.py'), 'print(1)\n')
  writeFileSync(join(home, 'shop', 'run.sh'), 'python3 main.py\n')
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' }
  const cli = createCli(home)
  return {
    model,
    home,
    read: (name: string) => readFileSync(join(home, name), 'utf8'),
    run: (...args: string[]) => cli.run([...args, '--data-dir', join(home, 'data')], { env }),
  }
}

test('without a terminal a generated program is not run, which is said, and is no success', async t => {
  const { home, read, run, model } = await setUp(t, [CODE, SCRIPT, CODE, SCRIPT, CODE, SCRIPT])
  const plain = await run('generate', 'Print 42', '--quiet')
  t.match(plain, { exitCode: EXIT.failed, stdout: /Wrote 2 files to generated: .*\nIt was not run\.\n/ })
  t.match(plain.stderr, BY_HAND)
  t.equal(read('generated/main.py'), 'print(6 * 7)\n')

  const json = await run('generate', 'Print 42', '--output', 'other', '--json')
  t.match(json, { exitCode: EXIT.failed, stderr: BY_HAND })
  t.match(JSON.parse(json.stdout), { status: 'succeeded', result: { run: null } })
  t.ok(existsSync(join(home, 'other', 'run.sh')))

  const never = await run('generate', 'Print 42', '--execute', 'never', '--output', 'third')
  t.match(never, { exitCode: EXIT.done, stdout: /It was not run\./ })
  t.notMatch(never.stderr, /will not be run/)
  t.equal(model.requests.length, 6)
})

test('--yes runs a generated program without a terminal, and leaves questions to the model', inJail, async t => {
  const { run } = await setUp(t, [{ text: 'Which number?' }, { text: 'I take 42.' }, CODE, SCRIPT])
  const yes = await run('generate', 'Print a number', '--clarify', '--yes')
  t.match(yes, { exitCode: EXIT.done, stdout: /Run: exit code 0 after / })
  t.match(yes.stderr, /\n42\n/)
  t.notMatch(yes.stderr, /will not be run/)
})

test('without a terminal changes wait for a reply, which a later command gives, with a comment, too', async t => {
  const { read, run, model } = await setUp(t, [editTo('2'), editTo('3')])
  const asked = await run('improve', 'Print more', '--folder', 'shop')
  t.match(asked, {
    exitCode: EXIT.failed,
    stdout: '',
    stderr: /The job \S+ waits for a reply, and there is no terminal to ask on: .*\nfix: faultline jobs reply /,
  })
  t.equal(read('shop/main.py'), 'print(1)\n')

  const id = /jobs reply (\S+)/.exec(asked.stderr)?.[1] ?? ''
  const again = await run('jobs', 'reply', id, '--reject', '--comment', 'Three.')
  t.match(again, {
    exitCode: EXIT.done,
    stdout: /What the model says:\nSay 3\.\n\n(?:.*\n)*\+print\(3\)\n(?:.*\n)*Reply: /,
  })
  t.match(await run('jobs', 'reply', id, '--approve'), { exitCode: EXIT.done, stdout: /changed {2}main\.py/ })
  t.match(await run('jobs', 'diff', id), { stdout: /-print\(1\)\n\+print\(3\)/ })
  t.equal(model.requests.length, 2)
})

test('--yes applies changes without a terminal; a folder is not healed without it', async t => {
  const { read, run, model } = await setUp(t, [editTo('2')])
  t.match(await run('improve', 'Print more', '--folder', 'shop', '--yes'), {
    exitCode: EXIT.done,
    stdout: /changed {2}main\.py/,
  })
  t.equal(read('shop/main.py'), 'print(2)\n')
  t.match(await run('heal', '--folder', 'shop'), {
    exitCode: EXIT.usage,
    stdout: '',
    stderr: /there is no terminal to ask on\.\nfix: Add --yes\./,
  })
  t.equal(model.requests.length, 1)
})
