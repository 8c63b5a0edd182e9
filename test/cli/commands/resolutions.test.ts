import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { evaluate, FUSION, readCrashes } from '../../../bench/eval/crashes.ts'
import { projectOf } from '../../../bench/eval/project.ts'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { buildApp, listen } from '../../helpers/build-app.ts'
import { cliFolder } from '../../helpers/cli-folder.ts'
import { SHOP_TRACE } from '../../helpers/sample-repository.ts'

const FILE = 'src/shop/prices.py'

test('an answer is kept, shown, judged and exported as a case that the evaluation reads', async t => {
  const { home, cli, shop, data } = cliFolder(t)
  await cli.call(['clone', shop.dir, ...data])
  const resolved = await cli.call(['resolve', '-', '--project', 'shop', '--json', ...data], { input: SHOP_TRACE })
  const { id } = JSON.parse(resolved.stdout)
  const call = (...args: string[]) => cli.call(['resolutions', ...args, ...data])
  t.match(await call(), {
    exitCode: EXIT.done,
    stdout: new RegExp(`^${id} .* shop .* - +ZeroDivisionError: division by zero\n$`),
  })
  t.match(await call('--with-feedback'), { exitCode: EXIT.done, stdout: 'No kept answers.\n' })
  t.match(await call('show', id), { exitCode: EXIT.done, stdout: /^ZeroDivisionError: division by zero\n/ })
  t.match(await call('show', `res_${'0'.repeat(24)}`), {
    exitCode: EXIT.usage,
    stderr: /"faultline resolutions" lists/,
  })

  for (const wrong of [[], ['--helpful', '--not-helpful'], ['--helpful', '--actual-path', '/etc/passwd']]) {
    t.match(await call('feedback', id, ...wrong), { exitCode: EXIT.usage }, wrong.join(' '))
  }
  t.match(await call('feedback', id, '--helpful', '--comment', ''), { exitCode: EXIT.usage }, 'as the contract has it')
  t.match(await call('feedback', id, '--helpful', '--comment', 'nearly'), { exitCode: EXIT.done })
  t.match(await call('export'), { exitCode: EXIT.done, stdout: '', stderr: /^0 cases; 1 left out/ })
  t.match(await call('feedback', id, '--not-helpful', '--actual-path', FILE), { exitCode: EXIT.done })
  t.match(await call('list', '--with-feedback', '--project', 'shop'), { stdout: /helpful, not helpful/ })

  const exported = await call('export')
  t.match(exported, { exitCode: EXIT.done, stderr: '1 case.\n' })
  const file = join(home, 'crashes.jsonl')
  writeFileSync(file, exported.stdout)
  const crashes = readCrashes(file)
  t.match(crashes, [{ id, repo: 'shop', base_commit: /^[0-9a-f]{40}$/, gold_files: [FILE], trace: SHOP_TRACE }])
  const code = projectOf([{ path: FILE, language: 'python', text: shop.git('show', `HEAD:${FILE}`) }])
  for (const crash of crashes) {
    t.match(await evaluate(crash, await code), { id, isInTrace: true, first: { isRight: true } })
    t.equal((await evaluate(crash, await code)).ranks.get(FUSION), 1)
  }
})

test('a server keeps and exports the same', async t => {
  const built = await buildApp(t)
  const url = await listen(t, built)
  const { cli } = cliFolder(t)
  t.match(await cli.call(['resolutions', 'list', '--json', '--server', url]), {
    exitCode: EXIT.done,
    stdout: /"data": \[\]/,
  })
  t.match(await cli.call(['resolutions', 'export', '--server', url]), {
    exitCode: EXIT.done,
    stdout: '',
    stderr: '0 cases.\n',
  })
  const none = `res_${'0'.repeat(24)}`
  for (const command of [
    ['show', none],
    ['feedback', none, '--helpful'],
  ]) {
    t.match(await cli.call(['resolutions', ...command, '--server', url]), {
      exitCode: EXIT.usage,
      stderr: /no resolution/,
    })
  }
})
