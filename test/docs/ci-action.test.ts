import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { startModelServer } from '../fakes/model-server.ts'
import { actionErrors } from '../helpers/action-errors.ts'
import { CLEAN_LOG, FOREIGN_TRACE, SHOP_LOG } from '../helpers/ci-logs.ts'
import { actionUser } from '../helpers/action-user.ts'
import { recordingPath } from '../helpers/recording-path.ts'
import { workflowCommands } from '../helpers/workflow-commands.ts'

const ACTION = fileURLToPath(new URL('../../action.yml', import.meta.url))

test('action.yml is an action by the parser of GitHub itself', async t => {
  const content = readFileSync(ACTION, 'utf8')
  t.same(await actionErrors(content), [])
  t.not((await actionErrors(content.replace('using:', 'usnig:'))).length, 0, 'it finds what is wrong')
  const scripts = content.slice(content.indexOf('      run: |'))
  t.notMatch(scripts, /\$\{\{/, 'no expression is in a script')
})

test('a model explains once, in the summary; annotations do not wait for it', async t => {
  const model = await startModelServer()
  t.teardown(model.close)
  const { use } = await actionUser(t, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' })
  for (const name of ['one', 'two', 'three']) {
    model.push({ text: `## Explanation\n\nAnswer ${name}.\n\n## Fix\n\nNone.` })
  }
  const { summary, output } = await use(SHOP_LOG, { 'comment-file': 'comment.md', 'sarif-file': 'faultline.sarif' })
  t.match(summary, /Answer one\.[^]*Answer two\.[^]*Answer three\./)
  t.notMatch(output, /Answer one/)
  t.equal(model.requests.length, 3)
  const asked = model.requests.length
  await use(SHOP_LOG, { mode: 'context' })
  t.equal(model.requests.length, asked)
  await use(FOREIGN_TRACE, { model: 'other/model:7b', locale: 'de' })
  t.match(JSON.stringify(model.requests.at(-1)?.body), /"model":"other\/model:7b"/)
})

test('a step that uses the action', async t => {
  const shop = await actionUser(t)

  await t.test('the log of a failed step becomes annotations, a summary and outputs', async t => {
    const { use, url } = shop
    const { exitCode, output, stderr, outputs, summary } = await use(SHOP_LOG)
    t.equal(exitCode, 0, stderr)
    t.equal(stderr, '')
    const commands = workflowCommands(output)
    t.match(
      commands.filter(({ command }) => command === 'error'),
      [{ properties: { file: 'src/shop/prices.py', line: '6' } }, { properties: { line: '5' } }],
    )
    t.equal(output.trimEnd().split('\n').length, commands.length, 'nothing but annotations is printed')
    t.match(
      summary,
      /^<!-- faultline shop -->\n\n## `ZeroDivisionError`[^]*## `KeyError`[^]*## `ConnectionRefusedError`/,
    )
    t.match(outputs, { fault: 'project', resolutions: /^(?:res_[0-9a-f]{24},?){3}$/ })
    t.equal(outputs['resolution-url'], `${url}/resolutions/${outputs.resolutions?.split(',')[0]}`)
  })

  await t.test('the key stands in no argument of a program, and in no output', async t => {
    const { use, root } = shop
    const { path, argumentsOf } = recordingPath(root, ['curl', 'sed', 'tr', 'od', 'grep', 'env'])
    const { output, summary, stderr, exitCode } = await use(SHOP_LOG, {}, { PATH: path })
    t.equal(exitCode, 0, stderr)
    t.match(argumentsOf(), /--data-binary/)
    for (const text of [argumentsOf(), output, summary, stderr]) t.notMatch(text, /quotes-/)
  })

  await t.test('files for a comment and for code scanning are written where they are asked for', async t => {
    const { use, folder } = shop
    const { summary } = await use(SHOP_LOG, { 'comment-file': 'comment.md', 'sarif-file': 'faultline.sarif' })
    t.equal(readFileSync(join(folder, 'comment.md'), 'utf8'), summary)
    t.match(JSON.parse(readFileSync(join(folder, 'faultline.sarif'), 'utf8')), {
      version: '2.1.0',
      runs: [{ results: [{}, {}] }],
    })
  })

  await t.test('fail-on says when the step fails; without it never', async t => {
    const { use } = shop
    const exitCode = async (log: string | null, failOn?: string, inputs = {}) =>
      (await use(log, { mode: 'context', ...(failOn === undefined ? {} : { 'fail-on': failOn }), ...inputs })).exitCode
    t.equal(await exitCode(SHOP_LOG), 0)
    t.equal(await exitCode(SHOP_LOG, 'project'), 1)
    t.equal(await exitCode(FOREIGN_TRACE, 'project'), 0)
    t.equal(await exitCode(FOREIGN_TRACE, 'any'), 1)
    t.equal(await exitCode(CLEAN_LOG, 'any'), 0)
    t.equal(await exitCode(CLEAN_LOG, 'error'), 0)
    t.equal(await exitCode(SHOP_LOG, 'any', { 'api-key': 'guessed' }), 0)
    t.equal(await exitCode(SHOP_LOG, 'error', { 'api-key': 'guessed' }), 1)
  })

  await t.test('a log without a fault is told, and that is all', async t => {
    const { use } = shop
    const { output, outputs } = await use(CLEAN_LOG)
    t.match(workflowCommands(output), [{ command: 'notice', data: /found no error, failed test or stack trace/ }])
    t.match(outputs, { fault: 'none', resolutions: '', 'resolution-url': '' })
  })

  await t.test('a command is run, its output is the log where it fails, and its exit code stays', async t => {
    const { use, folder, writeLog } = shop
    writeLog(SHOP_LOG, 'printed.txt')
    const failed = await use(null, {
      command: 'echo "key: $FAULTLINE_API_KEY$FAULTLINE_SERVER"; cat printed.txt >&2; exit 7',
      log: '',
    })
    t.equal(failed.exitCode, 7)
    t.match(failed.output, /^key: \n[^]*division by zero[^]*\n::error file=src\/shop\/prices\.py,line=6/)
    t.equal(failed.outputs.fault, 'project')
    t.match(await use(null, { command: 'false | cat', server: 'http://127.0.0.1:9', 'fail-on': 'never' }), {
      exitCode: 1,
    })
    const passed = await use(null, { command: 'cat printed.txt', log: 'kept.log' })
    t.equal(passed.exitCode, 0)
    t.notMatch(passed.output, /^::/m, 'nothing is sent of what went well')
    t.equal(readFileSync(join(folder, 'kept.log'), 'utf8'), SHOP_LOG)
  })
})
