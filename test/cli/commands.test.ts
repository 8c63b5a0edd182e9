import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'tap'
import { EXIT } from '../../src/cli/exit-codes.ts'
import { cliFolder } from '../helpers/cli-folder.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { startServerProcess } from '../helpers/server-process.ts'

test('a repository is cloned, looked at, searched and deleted without a server', async t => {
  const { cli, shop, data } = cliFolder(t)
  const cloned = await cli.call(['clone', shop.dir, ...data])
  t.match(cloned, {
    exitCode: EXIT.done,
    stdout:
      /^Indexed shop: 5 files of shop, main at [0-9a-f]{10} in .*\n4 chunks \(4 added, 0 removed\)\nLeft out: 1 secret\n/,
  })
  t.match(await cli.call(['projects', ...data]), { exitCode: EXIT.done, stdout: /^shop {2}ready {2}5 files/ })
  t.match(await cli.call(['projects', 'show', 'SHOP', ...data]), {
    exitCode: EXIT.done,
    stdout: /Files {7}5 \(4 python, 1 markdown\)/,
  })
  t.match(
    await cli.call(['search', 'average', ...data]),
    { exitCode: EXIT.done, stdout: /^src\/shop\/.*py:1-\d+ {2}(lexical|similar)/ },
    'the only project need not be named',
  )
  t.match(await cli.call(['jobs', '--status', 'succeeded', ...data]), {
    exitCode: EXIT.done,
    stdout: /succeeded {2}clone {2}shop/,
  })
  t.match(await cli.call(['projects', 'delete', 'shop', ...data]), {
    exitCode: EXIT.usage,
    stderr: /no terminal to ask on\.\nfix: Add --yes\.\n$/,
  })
  for (const input of ['n\n', '\n', '']) {
    t.match(
      await cli.call(['projects', 'delete', 'shop', ...data], { input, isTTY: true }),
      { exitCode: EXIT.failed, stderr: /^Delete the project shop, .*Nothing was deleted\.\n$/s },
      JSON.stringify(input),
    )
  }
  t.match(await cli.call(['projects', 'delete', 'SHOP', ...data], { input: 'y\n', isTTY: true }), {
    exitCode: EXIT.done,
    stdout: 'Deleted shop.\n',
  })
  await cli.call(['clone', shop.dir, ...data])
  t.match(await cli.call(['projects', 'delete', 'shop', '--yes', ...data]), {
    exitCode: EXIT.done,
    stdout: 'Deleted shop.\n',
  })
  t.match(await cli.call(['projects', 'show', 'shop', ...data]), {
    exitCode: EXIT.usage,
    stdout: '',
    stderr:
      'faultline: There is no project "shop".\n' +
      'fix: "faultline projects" lists the projects, "faultline clone <url>" makes one.\n',
  })
})

test('--json prints one document and nothing else, also when the work fails', async t => {
  const { cli, shop, data } = cliFolder(t)
  const cloned = await cli.call(['clone', shop.dir, '--json', ...data])
  t.match(
    { ...cloned, stdout: JSON.parse(cloned.stdout) },
    { exitCode: EXIT.done, stderr: '', stdout: { type: 'clone', status: 'succeeded', result: { files_indexed: 5 } } },
  )
  const failed = await cli.call(['clone', shop.dir, '--branch', 'nowhere', '--json', ...data])
  t.match(
    { ...failed, stdout: JSON.parse(failed.stdout) },
    { exitCode: EXIT.failed, stdout: { status: 'failed', error: { code: 'BRANCH_NOT_FOUND' } } },
  )
  const refused = await cli.call(['clone', 'ext::sh', '--json', ...data])
  t.match(
    { ...refused, stdout: JSON.parse(refused.stdout) },
    { exitCode: EXIT.usage, stdout: { code: 'BAD_REPOSITORY_URL', detail: /ext::/, fix: /https/ } },
  )
  const wrong = await cli.call(['projects', '--nonsense', '--json', ...data])
  t.match(
    { ...wrong, stdout: JSON.parse(wrong.stdout) },
    { exitCode: EXIT.usage, stdout: { code: 'USAGE', detail: /--nonsense/ } },
  )
  const doctor = await cli.call(['doctor', '--json', ...data])
  t.match(
    { ...doctor, stdout: JSON.parse(doctor.stdout) },
    { exitCode: EXIT.done, stderr: '', stdout: { ok: true, checks: [{ name: 'node', status: 'ok' }] } },
  )
})

test('a server does the work where it holds the data folders, or is named, with the same documents', async t => {
  const { home, cli, shop } = cliFolder(t)
  const data = [
    '--data-dir',
    join(home, 'data'),
    '--vector-store-dir',
    join(home, 'vector_store'),
    '--cloned-repos-dir',
    join(home, 'cloned_repos'),
  ]
  const trace = join(home, 'trace.txt')
  writeFileSync(trace, SHOP_TRACE)
  const cloned = JSON.parse((await cli.call(['clone', shop.dir, '--json', ...data])).stdout)
  const commands = [
    ['projects'],
    ['projects', 'show', 'shop'],
    ['jobs'],
    ['jobs', 'show', cloned.id],
    ['jobs', 'events', cloned.id],
    ['search', 'average', '--project', 'shop'],
    ['resolve', trace, '--project', 'shop', '--mode', 'context'],
  ]
  const document = (stdout: string) => {
    const { id, timings_ms: timings, ...rest } = JSON.parse(stdout)
    return { ...rest, timings: Object.keys(timings ?? {}), ...(String(id).startsWith('res_') ? {} : { id }) }
  }
  const here = []
  for (const command of commands) here.push(document((await cli.call([...command, '--json', ...data])).stdout))

  const server = await startServerProcess(home)
  t.teardown(() => server.end('SIGTERM'))
  for (const [index, command] of commands.entries()) {
    const found = await cli.call([...command, '--json', ...data])
    t.strictSame(document(found.stdout), here[index], `${command.join(' ')}, through the server that holds the folders`)
  }
  t.match(await cli.call(['projects', ...data]), {
    exitCode: EXIT.done,
    stderr: `Using the server at ${server.url}, which holds this data folder.\n`,
  })
  for (const [index, command] of commands.entries()) {
    const there = await cli.call([...command, '--json', '--server', server.url])
    t.strictSame(document(there.stdout), here[index], command.join(' '))
  }
  const detached = await cli.call([
    'clone',
    shop.dir,
    '--project',
    'again',
    '--detach',
    '--json',
    '--server',
    server.url,
  ])
  const { id } = JSON.parse(detached.stdout)
  t.match(await cli.call(['jobs', 'show', id, '--server', server.url]), {
    exitCode: EXIT.done,
    stdout: /Project {2}again/,
  })
  t.match(
    await cli.call(['clone', '/etc', '--server', server.url]),
    { exitCode: EXIT.usage, stderr: /not below a folder/ },
    'a server does not take a path because its client named it',
  )
  t.match(await cli.call(['doctor', '--server', server.url]), { exitCode: EXIT.done, stdout: /git/ })
})

test('what cannot be resolved says why', async t => {
  const { cli, data } = cliFolder(t)
  // the test folder lies in this checkout's repository
  const plain = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-test-')))
  t.teardown(() => {
    rmSync(plain, { recursive: true })
  })
  t.match(await cli.call(['resolve', '-'], { cwd: plain, input: 'x' }), {
    exitCode: EXIT.usage,
    stderr: /in no git repository\.\nfix: .*--project/,
  })
  t.match(await cli.call(['resolve', '-', '--repo', plain], { input: 'x' }), {
    exitCode: EXIT.usage,
    stderr: /no git repository/,
  })
  t.match(await cli.call(['resolve', '-', '--repo', '.', '--project', 'x']), {
    exitCode: EXIT.usage,
    stderr: /exclude each other/,
  })
  t.match(await cli.call(['resolve', 'nothing.log', '--project', 'x', ...data]), {
    exitCode: EXIT.usage,
    stderr: /There is no file ".*nothing\.log"/,
  })
  t.match(await cli.call(['resolve', '.', '--project', 'x', ...data]), { exitCode: EXIT.usage, stderr: /is a folder/ })
  t.match(await cli.call(['resolve', '-', '--project', 'x', ...data]), {
    exitCode: EXIT.failed,
    stderr: /Nothing came in from standard input/,
  })
  t.match(await cli.call(['resolve', '-', '--project', 'x', ...data], { input: SHOP_TRACE }), {
    exitCode: EXIT.usage,
    stderr: /There is no project "x"/,
  })
  t.match(await cli.call(['resolve', '-', '--project', 'x', '--max-context-tokens', '5', ...data]), {
    exitCode: EXIT.usage,
    stderr: /200 to 150000/,
  })
  t.match(await cli.call(['resolve', '-', '--project', 'x', '--mode', 'both', ...data]), {
    exitCode: EXIT.usage,
    stderr: /answer, context/,
  })
})

test('exit codes tell apart whose turn it is', async t => {
  const { cli, data, shop } = cliFolder(t)
  t.match(await cli.call(['--help']), {
    exitCode: EXIT.done,
    stdout:
      /Exit codes:\n {2}0 {4}done\n {2}1 {4}.*\n {2}2 {4}.*\n {2}3 {4}.*\n {2}10 {3}.*\n {2}11 {3}.*\n {2}130 {2}interrupted/,
  })
  t.match(await cli.call([]), { exitCode: EXIT.usage, stderr: /^Usage: faultline/ })
  t.match(await cli.call(['frobnicate']), {
    exitCode: EXIT.usage,
    stderr: /^faultline: unknown command 'frobnicate'\nfix: /,
  })
  t.match(await cli.call(['projects', 'frobnicate']), { exitCode: EXIT.usage })
  t.match(await cli.call(['clone', shop.dir, '--detach', ...data]), {
    exitCode: EXIT.usage,
    stderr: /--detach needs a server/,
  })
  t.match(await cli.call(['projects', '--server', 'http://127.0.0.1:1']), {
    exitCode: EXIT.missing,
    stderr: /^faultline: No server answers at http:\/\/127\.0\.0\.1:1: .*\nfix: .*faultline serve/,
  })
  t.match(await cli.call(['projects', '--server', 'nonsense']), { exitCode: EXIT.usage })
  const env = { JOBS_CONCURRENCY: 'many' }
  t.match(await cli.run(['projects', ...data], { env }), {
    exitCode: EXIT.missing,
    stderr: /^faultline: .*JOBS_CONCURRENCY/,
  })
  t.match(await cli.run(['doctor', ...data], { env }), { exitCode: EXIT.missing, stdout: /missing {2}configuration/ })
  t.match(await cli.run(['serve', '--host', '0.0.0.0', ...data]), { exitCode: EXIT.missing, stderr: /API_KEYS/ })
  t.match(await cli.run(['projects', ...data], { env: { FAULTLINE_SERVER: 'http://127.0.0.1:1' } }), {
    exitCode: EXIT.missing,
    stderr: /No server answers/,
  })
  t.match(await cli.run(['projects', '--no-server', ...data], { env: { FAULTLINE_SERVER: 'http://127.0.0.1:1' } }), {
    exitCode: EXIT.done,
  })
})
