import { join } from 'node:path'
import { test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import type { Reply } from '../../fakes/model-reply.ts'
import { startModelServer } from '../../fakes/model-server.ts'
import { buildApp, cloneInto, listen } from '../../helpers/build-app.ts'
import { FAR_CAUSE, FAR_TRACE } from '../../helpers/far-cause.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const SCRIPT: Reply[] = [
  { toolCalls: [{ name: 'find_definition', arguments: { name: 'read_shelf' } }] },
  { text: '## Cause\n`read_shelf` gives no price, see store/shelves.py.\n' },
]

test('resolve --investigate shows its steps and the answer, with a server and without', async t => {
  const model = await startModelServer()
  t.teardown(() => model.close())
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' }
  const home = testFolder(t)
  const built = await buildApp(t, { root: home, env })
  const url = await listen(t, built)
  const { dir } = createGitRepository(join(built.reposDir, 'shop.git'), { files: FAR_CAUSE })
  await cloneInto(t, built, { url: dir, project_name: 'shop' })
  const cli = createCli(home)
  const args = ['resolve', '-', '--project', 'shop', '--server', url]

  model.push(...SCRIPT)
  const text = await cli.call([...args, '--investigate', '--max-steps', '3'], { input: FAR_TRACE })
  t.equal(text.exitCode, EXIT.done, text.stderr)
  t.match(text.stderr, /Step 1 of 3: find_definition/)
  t.match(text.stdout, /store\/shelves\.py \[not found: there is no such file at [0-9a-f]{12}\]/)
  t.match(text.stdout, /It looked at 1 thing\. Of the files, lines and names that it cites 1 of 2 exist\./)

  model.push(...SCRIPT)
  const json = await cli.call([...args, '--investigate', '--json'], { input: FAR_TRACE })
  t.match(JSON.parse(json.stdout), { answer_status: 'ok', investigation: { steps: [{ tool: 'find_definition' }] } })

  for (const wrong of [
    ['--max-steps', '3'],
    ['--investigate', '--mode', 'context'],
    ['--investigate', '--format=sarif'],
  ]) {
    const refused = await cli.call([...args, ...wrong], { input: FAR_TRACE })
    t.equal(refused.exitCode, EXIT.usage, wrong.join(' '))
  }

  const alone = createCli(testFolder(t))
  const repository = createGitRepository(join(testFolder(t), 'shop'), { files: FAR_CAUSE })
  model.push(...SCRIPT)
  const here = await alone.run(['resolve', '-', '--repo', repository.dir, '--committed', '--investigate', '--json'], {
    input: FAR_TRACE,
    env,
  })
  t.equal(here.exitCode, EXIT.done, here.stderr)
  t.match(JSON.parse(here.stdout), {
    investigation: { ended_by: 'answer' },
    answer: { explanation: /shelves\.py \[not/ },
  })
})
