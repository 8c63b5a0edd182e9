import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { test, type Test } from 'tap'
import { startModelServer } from '../../fakes/model-server.ts'
import { buildApp, listen } from '../../helpers/build-app.ts'
import { cloneShop } from '../../helpers/cloned-shop.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { SHOP_TRACE } from '../../helpers/sample-repository.ts'
import { testFolder } from '../../helpers/test-folder.ts'

/** A server with a scripted model, and `faultline resolve` as its client on a terminal. */
async function setUp(t: Test) {
  const model = await startModelServer()
  t.teardown(model.close)
  const home = testFolder(t)
  const built = await buildApp(t, { root: home, env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' } })
  const url = await listen(t, built)
  await cloneShop(t, built)
  writeFileSync(join(home, 'trace.txt'), SHOP_TRACE)
  const cli = createCli(home)
  return {
    resolve: async (...args: string[]) => {
      const { stdout, ...rest } = await cli.call(
        ['resolve', 'trace.txt', '--project', 'shop', '--server', url, ...args],
        { isTTY: true },
      )
      return { ...rest, stdout: stripVTControlCharacters(stdout), raw: stdout }
    },
    model,
  }
}

test('resolve as a client on a terminal', async t => {
  const { resolve, model } = await setUp(t)

  await t.test('on a terminal the code is there before the answer, whose words are not printed twice', async t => {
    model.push({ text: '## Cause\n\nThe cart is \u001B[8mempty.\n' })
    const { exitCode, stdout, raw, stderr } = await resolve('--locale', 'de')
    t.equal(exitCode, 0, stderr)
    t.match(
      stdout,
      /^ZeroDivisionError: division by zero\n[^]*>>> {2}6 \|[^]*\n--- Explanation ---\n\n## Cause\n\nThe cart is \\u001B\[8mempty\.\n\n\nAnswer of scripted: [^]*\nNext:/,
    )
    t.equal(stdout.split('## Cause').length, 2, 'the words stand there once')
    t.notMatch(raw, '\u001B[8m')
    t.match(JSON.stringify(model.requests.at(-1)?.body), /\bde\b|German/, 'the language is passed on')
  })

  await t.test('an answer that breaks off and begins again is said to do so', async t => {
    model.push({ text: 'The first try was cut', cutAfter: 3 }, { text: 'The second one is whole.' })
    const { exitCode, stdout } = await resolve()
    t.equal(exitCode, 0)
    t.match(
      stdout,
      /The first try\n\nThe model broke off; it begins again\.\n\nThe second one is whole\.\n\nAnswer of scripted/,
    )
  })

  await t.test('a model that fails leaves the code and its reason', async t => {
    model.push({ status: 401 })
    const { exitCode, stdout } = await resolve('--locale', 'fr')
    t.equal(exitCode, 0, 'the code is there: the work is done')
    t.match(stdout, />>> {2}6 \|[^]*The model gave no answer: /)
  })

  await t.test('--mode context and --json ask for neither words nor colours', async t => {
    model.push({ text: 'An answer.' })
    const before = model.requests.length
    t.match(await resolve('--mode', 'context'), { exitCode: 0, stdout: /No explanation was asked for/ })
    t.equal(model.requests.length, before)
    const { raw } = await resolve('--json', '--locale', 'nl')
    t.match(JSON.parse(raw), { answer: { text: 'An answer.' }, answer_status: 'ok' })
  })
})
