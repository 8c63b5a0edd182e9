import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { startModelServer } from '../../fakes/model-server.ts'
import { buildApp, listen } from '../../helpers/build-app.ts'
import { CLEAN_LOG, FOREIGN_TRACE, SHOP_LOG } from '../../helpers/ci-logs.ts'
import { cliFolder } from '../../helpers/cli-folder.ts'
import { cloneShop } from '../../helpers/cloned-shop.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { SHOP_TRACE } from '../../helpers/sample-repository.ts'
import { testFolder } from '../../helpers/test-folder.ts'
import { workflowCommands } from '../../helpers/workflow-commands.ts'

/** A server with the shop, and `faultline resolve -` as its client. */
async function setUp(t: Test, env: Record<string, string> = {}) {
  const home = testFolder(t)
  const built = await buildApp(t, { root: home, env })
  const url = await listen(t, built)
  const shop = await cloneShop(t, built)
  const cli = createCli(home)
  const args = ['resolve', '-', '--project', 'shop', '--server', url]
  return {
    home,
    shop,
    resolve: (input: string, ...more: string[]) => cli.call([...args, ...more], { input }),
    run: (input: string, env: Record<string, string>, ...more: string[]) => cli.run([...args, ...more], { input, env }),
  }
}

test('every fault of a log is reported in the formats of CI systems', async t => {
  const { resolve } = await setUp(t)
  const github = await resolve(SHOP_LOG, '--format', 'github')
  t.equal(github.exitCode, EXIT.done, github.stderr)
  const errors = workflowCommands(github.stdout).filter(({ command }) => command === 'error')
  t.match(errors, [
    { properties: { file: 'src/shop/prices.py', line: '6', title: 'ZeroDivisionError: division by zero' } },
    { properties: { file: 'src/shop/prices.py', line: '5', title: "KeyError: 'price'" } },
  ])
  t.equal(errors.length, 2)
  t.match(github.stdout, /^::warning title=ConnectionRefusedError%3A .*No frame of it is in code of the project/m)

  const sarif = JSON.parse((await resolve(SHOP_LOG, '--format', 'sarif')).stdout)
  t.match(sarif, {
    version: '2.1.0',
    runs: [{ results: [{ ruleId: 'ZeroDivisionError' }, { ruleId: 'KeyError' }] }],
  })
  const gitlab = JSON.parse((await resolve(SHOP_LOG, '--format=gitlab')).stdout) as Array<{ severity: string }>
  t.match(
    gitlab.filter(({ severity }) => severity === 'critical'),
    [{ location: { path: 'src/shop/prices.py', lines: { begin: 6 } } }, { location: { lines: { begin: 5 } } }],
  )
  const { stdout: comment } = await resolve(SHOP_LOG, '--format', 'markdown')
  t.match(
    comment,
    /^<!-- faultline shop -->\n\n## `ZeroDivisionError`[^]*\n## `KeyError`[^]*\n## `ConnectionRefusedError`/,
  )
})

test('--format json is --json, also for errors, and text is what is printed without', async t => {
  const { resolve } = await setUp(t)
  const { stdout } = await resolve(SHOP_TRACE, '--format', 'json')
  t.match(JSON.parse(stdout), { project_name: 'shop', exceptions: [{ chain: 0 }] })
  t.match(JSON.parse((await resolve(' ', '--format=json')).stdout), { code: 'NO_STACK_TRACE' })
  t.match(JSON.parse((await resolve('x', '--format', 'json', '--mode', 'both')).stdout), { code: 'USAGE' })
  t.match((await resolve('x', '--format', 'junit')).stderr, /There is no junit format.*Allowed choices are text, json/s)
  t.match(await resolve(SHOP_TRACE, '--format', 'text'), {
    exitCode: EXIT.done,
    stdout: /^ZeroDivisionError: division/,
  })
  t.match(await resolve(SHOP_TRACE, '--json', '--format', 'sarif'), {
    exitCode: EXIT.usage,
    stderr: /exclude each other/,
  })
  t.match(await resolve(SHOP_TRACE, '--format', 'xml'), { exitCode: EXIT.usage, stderr: /text, json, .*, gitlab/ })
})

test('--exit-code says whether code of the project was at fault', async t => {
  const { resolve } = await setUp(t)
  for (const format of ['text', 'json', 'github', 'markdown']) {
    const exitCode = async (log: string, ...more: string[]) =>
      (await resolve(log, '--format', format, ...more)).exitCode
    t.equal(await exitCode(SHOP_LOG, '--exit-code'), 10, format)
    t.equal(await exitCode(FOREIGN_TRACE, '--exit-code'), 11, format)
    t.equal(await exitCode(CLEAN_LOG, '--exit-code'), 0, format)
    t.equal(await exitCode(SHOP_LOG), EXIT.done, 'only where it is asked for')
  }
})

test('in GitHub Actions the summary of the step is written, and a full one is left alone', async t => {
  const { home, run } = await setUp(t)
  const file = join(home, 'summary.md')
  const github = (input = SHOP_LOG) => run(input, { GITHUB_STEP_SUMMARY: file }, '--format', 'github')
  t.equal((await github()).exitCode, EXIT.done)
  t.equal((await github(CLEAN_LOG)).exitCode, EXIT.done)
  const summary = readFileSync(file, 'utf8')
  t.match(
    summary,
    /^<!-- faultline shop -->\n\n## `ZeroDivisionError`[^]*\n\n<!-- faultline shop -->\n\nFaultline found no error/,
  )

  writeFileSync(file, 'x'.repeat(1_048_576))
  const { stderr, exitCode } = await github()
  t.equal(exitCode, EXIT.done)
  t.match(stderr, /The summary of this step is full/)
  t.equal(readFileSync(file, 'utf8').length, 1_048_576)

  const unwritable = await run(SHOP_LOG, { GITHUB_STEP_SUMMARY: home }, '--format', 'github')
  t.equal(unwritable.exitCode, EXIT.done)
  t.match(unwritable.stderr, 'The summary of this step could not be written: EISDIR.')
  t.match(unwritable.stdout, /^::error file=/m)

  const sarif = join(home, 'none.md')
  await run(SHOP_LOG, { GITHUB_STEP_SUMMARY: sarif }, '--format', 'sarif')
  t.notOk(existsSync(sarif), 'only with annotations')
})

test('the model explains each fault once; a commit that no clone has costs only the exact lines', async t => {
  const model = await startModelServer()
  t.teardown(model.close)
  const { resolve } = await setUp(t, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' })
  for (const text of ['It is empty.', 'It has none.', 'Nobody listens.']) {
    model.push({ text: `## Explanation\n\n${text}\n\n## Fix\n\nNone.` })
  }
  const { stdout, stderr, exitCode } = await resolve(SHOP_LOG, '--format', 'markdown', '--ref', 'f'.repeat(40))
  t.equal(exitCode, EXIT.done, stderr)
  t.equal(model.requests.length, 3)
  t.match(stdout, /It is empty\.[^]*It has none\.[^]*Nobody listens\./)
  t.match(stdout, /The code is read as it was indexed/)
})

test('without a server it reports on the repository around', async t => {
  const { cli, shop, data } = cliFolder(t)
  const { stdout, stderr, exitCode } = await cli.call(
    ['resolve', '-', '--repo', shop.dir, '--format', 'github', '--exit-code', ...data],
    { input: SHOP_LOG },
  )
  t.equal(exitCode, EXIT.projectFault, stderr)
  t.equal(workflowCommands(stdout).filter(({ command }) => command === 'error').length, 2)
})
