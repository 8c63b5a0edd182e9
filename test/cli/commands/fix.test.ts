import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { test, type Test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import type { Reply } from '../../fakes/model-server.ts'
import { listen } from '../../helpers/build-app.ts'
import { buildProject } from '../../helpers/project-with-model.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { inJail } from '../../helpers/sandbox.ts'
import { testFolder } from '../../helpers/test-folder.ts'

const FILES = {
  'shop/prices.py': 'def average(items):\n    return sum(items) / len(items)\n',
  'run.sh': 'python3 -c "import sys; sys.path.insert(0, \'.\'); from shop.prices import average; print(average([]))"\n',
}
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/prices.py", line 2, in average\n' +
  '    return sum(items) / len(items)\nZeroDivisionError: division by zero\n'
const mend = (value: string): Reply => ({
  text:
    '```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,2 +1,4 @@\n def average(items):\n' +
    `+    if not items:\n+        return ${value}\n     return sum(items) / len(items)\n\`\`\`\n`,
})

/** A server with the project `shop` and a scripted model, and the command line as its client. */
async function setUp(t: Test, replies: Reply[]) {
  const home = testFolder(t)
  const built = await buildProject(t, FILES, replies)
  const url = await listen(t, built)
  writeFileSync(join(home, 'crash.log'), TRACE)
  return { ...built, cli: createCli(home), server: ['--server', url] }
}

test('a trace becomes a verified change, which is asked about and committed to a branch', inJail, async t => {
  const { cli, server, git } = await setUp(t, [mend('0'), mend('1 / 0')])
  const fixed = await cli.converse(
    ['fix', 'crash.log', '--verify', 'bash run.sh', ...server],
    [[/\+ {4}if not items:\n.*\nVerified: .*exit code 0: bash run\.sh\nApply these changes\? \[y\/N\] $/s, 'y']],
  )
  t.equal(fixed.exitCode, EXIT.done, fixed.stderr)
  t.match(
    fixed.stdout,
    /^ {2}changed {2}shop\/prices\.py\nCommitted as [0-9a-f]{10} to faultline\/\S+ in the clone, on top of [0-9a-f]{10}\.\nVerified: .*\n {2}the whole: .*\n {2}before {2}exit code 1 .*\n {2}after {3}exit code 0 .*\n/,
  )
  t.match(git('show', `${/faultline\/[\w-]+/.exec(fixed.stdout)?.[0] ?? ''}:shop/prices.py`), /return 0/)
  t.match(fixed.stderr, /ZeroDivisionError/, 'what the command printed is shown')

  const unverified = await cli.call([
    'fix',
    TRACE,
    '--project',
    'shop',
    '--verify',
    'bash run.sh',
    '--yes',
    '--json',
    ...server,
  ])
  t.match(
    { ...unverified, stdout: JSON.parse(unverified.stdout) },
    {
      exitCode: EXIT.failed,
      stdout: {
        type: 'fix',
        result: { verification: 'unverified', baseline: { exit_code: 1 }, after: { exit_code: 1 } },
      },
    },
  )
})

test('a trace from standard input, and a person who rejects', async t => {
  const { cli, server, git, model } = await setUp(t, [mend('0'), mend('0')])
  t.match(await cli.call(['fix', '--review', 'auto', ...server], { input: TRACE }), {
    exitCode: EXIT.done,
    stdout: /Unverified\. Nothing was run/,
  })
  const before = git('for-each-ref', 'refs/heads')
  t.match(
    await cli.converse(
      ['fix', 'crash.log', ...server],
      [
        [/Apply these changes/, 'n'],
        [/be different\?/, null],
      ],
    ),
    {
      exitCode: EXIT.failed,
      asked: 2,
      stdout: /^Nothing was changed\./,
    },
  )
  t.equal(git('for-each-ref', 'refs/heads'), before)
  t.match(await cli.call(['fix', 'crash.log', '--dry-run', ...server]), {
    exitCode: EXIT.done,
    stdout: /^--- system ---\n.*ZeroDivisionError.*no model was asked\.\n$/s,
  })
  t.equal(model.requests.length, 2)
})

test('what cannot be fixed says why', async t => {
  const { cli, server } = await setUp(t, [{ text: 'I cannot tell.' }])
  t.match(await cli.call(['fix', 'nope.log', ...server]), { exitCode: EXIT.usage, stderr: /There is no file/ })
  t.match(await cli.call(['fix', ...server]), { exitCode: EXIT.failed, stderr: /Nothing came in from standard input/ })
  t.match(await cli.call(['fix', 'crash.log', '--project', 'nope', ...server]), {
    exitCode: EXIT.usage,
    stderr: /There is no project "nope"/,
  })
  t.match(await cli.call(['fix', 'Something is wrong', '--max-refinements', '0', '--yes', ...server]), {
    exitCode: EXIT.failed,
    stdout: '',
    stderr: /could not be applied.*\nfix: "faultline jobs diff [\w-]+" has what could be/,
  })
})

test('with --json a job that failed is printed whole, and the exit code says that it did', async t => {
  const { cli, server } = await setUp(t, [{ text: 'I cannot tell.' }])
  const asked = ['Something is wrong', '--max-refinements', '0', '--yes', '--json']
  const { exitCode, stdout } = await cli.call(['fix', ...asked, ...server])
  t.equal(exitCode, EXIT.failed)
  t.match(JSON.parse(stdout), { type: 'fix', status: 'failed', error: { code: String, message: String } })
})

test('improve and heal work on a project, too, and commit to branches', inJail, async t => {
  const { cli, server, git } = await setUp(t, [mend('0'), mend('0')])
  const improved = await cli.call([
    'improve',
    'Average of nothing is 0',
    '--project',
    'shop',
    '--select',
    'shop/*.py',
    '--yes',
    ...server,
  ])
  t.match(improved, {
    exitCode: EXIT.done,
    stdout: /^ {2}changed {2}shop\/prices\.py\nCommitted as .*\n(?:.*\n)+Next: faultline jobs diff/,
  })
  const healed = await cli.call(['heal', '--project', 'shop', ...server])
  t.match(healed, { exitCode: EXIT.done, stdout: /^Healed: run 2 worked\.\n(?:.*\n)+Committed as / })
  t.equal(git('for-each-ref', 'refs/heads').split('\n').length, 2)
  t.match(await cli.call(['improve', 'x', '--project', 'shop', '--select', '*.rs', ...server]), {
    exitCode: EXIT.usage,
    stderr: /No file fits select/,
  })
})

test('several candidates are asked for, and told', async t => {
  const { cli, server } = await setUp(t, [mend('0'), mend('0.0')])
  const fixed = await cli.call(['fix', 'crash.log', '--candidates', '2', '--review', 'auto', ...server])
  t.equal(fixed.exitCode, EXIT.done, fixed.stderr)
  t.match(fixed.stdout, / candidate 1 +unverified +chosen\n +candidate 2 +unverified\n/)
  const six = await cli.call(['fix', 'crash.log', '--candidates', '6', ...server])
  t.equal(six.exitCode, EXIT.usage)
  t.match(six.stderr, /--candidates/)
})

test('what the options say reaches the body of the request, and nothing else does', async t => {
  const bodies: unknown[] = []
  const recorder = createServer((request, response) => {
    json(request).then(body => {
      bodies.push({ url: request.url, body })
      response.writeHead(422, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify({ status: 422, code: 'NO_STACK_TRACE', detail: 'Recorded.' }))
    }, t.threw)
  }).listen(0, '127.0.0.1')
  await once(recorder, 'listening')
  t.teardown(() => recorder.close())
  const cli = createCli(testFolder(t))
  const server = ['--server', `http://127.0.0.1:${(recorder.address() as AddressInfo).port}`]
  const asked = async (...options: string[]) => {
    const { stderr } = await cli.call(['fix', TRACE, '--project', 'shop', ...options, ...server])
    t.match(stderr, /Recorded\./)
    return bodies.at(-1)
  }
  const body = { stacktrace: TRACE, project_name: 'shop' }
  t.match(await asked('--reproduce', '--candidates', '3', '--push', '--no-draft'), {
    url: /^\/fix(?:\?|$)/,
    body: { ...body, reproduce: true, candidates: 3, push: true, draft: false },
  })
  t.same((await asked()) ?? {}, { url: '/fix', body })
})
