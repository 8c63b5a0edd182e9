import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { buildApp } from '../../helpers/build-app.ts'
import { cliFolder } from '../../helpers/cli-folder.ts'
import { scriptedJob } from '../../helpers/scripted-job.ts'

test('a waiting job is shown with what it asks, answered, and its files and diff are printed', async t => {
  const { app, services } = await buildApp(t, {
    definitions: {
      task: scriptedJob(async ({ ask, files, setDiff, checkBudget, addUsage, step }) => {
        await step('spend', async () => {
          await addUsage({ llmCalls: 1, promptTokens: 9, completionTokens: 1, usd: null })
        })
        await checkBudget()
        const colour = await ask('colour', { kind: 'clarification', question: 'Which\u001b[31m colour?' })
        await files.put(new Map([['src/a.txt', 'one\n']]))
        await setDiff('--- a\n+++ b\n')
        return {
          colour,
          run: await ask('run', { kind: 'confirm_run', command: 'bash run.sh', files: await files.list() }),
        }
      }),
    },
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { cli } = cliFolder(t)
  const call = (...args: string[]) => cli.call(['jobs', ...args, '--server', url])
  const { id } = await services.jobs.settled(
    (await services.jobs.create('task', { budget: { tokens: 10 } })).job.id,
    10_000,
  )

  t.match(await call('show', id), {
    exitCode: EXIT.done,
    stdout: /The budget is used up\.\nSpent 10 tokens, .* of 10 tokens\.\nReply: faultline jobs reply \S+ --tokens/,
  })
  t.match(await call('reply', id, '--approve'), {
    stderr: /does not answer it\.\nfix: Reply with --tokens, --seconds or --usd and/,
  })
  t.match(await call('reply', id), { exitCode: EXIT.usage, stderr: /exactly one of/ })
  t.match(await call('reply', id, 'green', '--skip'), { exitCode: EXIT.usage })
  const asked = await call('reply', id, '--tokens', '100')
  t.match(asked, { exitCode: EXIT.done, stdout: /Which\\u001B\[31m colour\?\nReply: .* \(or --skip\)/i })
  t.match(await call('reply', id, 'green'), {
    exitCode: EXIT.done,
    stdout: /May this be run\? bash run\.sh\n {2}src\/a\.txt \(4 bytes\)\nReply: .*--approve or --reject/,
  })
  t.match(await call('files', id), { stdout: /^[0-9a-f]{12} {2}4 {2}src\/a\.txt\n$/ })
  t.equal((await call('files', id, 'src/a.txt')).stdout, 'one\n')
  t.match(await call('files', id, 'nope'), { exitCode: EXIT.missing, stderr: /keeps no file/ })
  t.equal((await call('diff', id)).stdout, '--- a\n+++ b\n')
  const done = await call('reply', id, '--reject', '--json')
  t.match(JSON.parse(done.stdout), {
    status: 'succeeded',
    result: { colour: { answer: 'green' }, run: { decision: 'reject' } },
  })
  t.match(await call('reply', id, '--approve'), { stderr: /it asks nothing/ })
  t.match(await call('transcript', id), {
    exitCode: EXIT.done,
    stdout: /task made by nobody with a key[^]*asked a person\nWhich\\u001B\[31m colour\?[^]*a person replied\n/i,
  })
  t.match(await call('delete', id), { exitCode: EXIT.usage, stderr: /Add --yes/ })
  t.match(await cli.converse(['jobs', 'delete', id, '--server', url], [[/Delete the job/, 'n']]), {
    exitCode: EXIT.failed,
  })
  t.match(await call('delete', id, '--yes'), { exitCode: EXIT.done, stdout: `Deleted ${id}.\n` })
  t.match(await call('patch', id), { exitCode: EXIT.usage, stderr: /"faultline jobs" lists the jobs/ })
})

test('a comment goes with a rejection, and is sent with it', async t => {
  const reviewed = { kind: 'review_changes' as const, diff: '-1\n+2\n', rejectedHunks: [], refinementsLeft: 1 }
  const { app, services } = await buildApp(t, {
    definitions: { task: scriptedJob(async ({ ask }) => ({ reply: await ask('review', reviewed) })) },
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { cli } = cliFolder(t)
  const call = (...args: string[]) => cli.call(['jobs', ...args, '--server', url])
  const { id } = await services.jobs.settled((await services.jobs.create('task', {})).job.id, 10_000)
  t.match(await call('show', id), { stdout: /Reply: .*--approve, --reject, or --reject --comment "/ })
  for (const args of [[], ['--approve']]) {
    t.match(await call('reply', id, ...args, '--comment', 'Use tabs.'), {
      exitCode: EXIT.usage,
      stderr: /--comment goes with --reject/,
    })
  }
  const done = await call('reply', id, '--reject', '--comment', 'Use tabs.', '--json')
  t.match(JSON.parse(done.stdout), { result: { reply: { decision: 'reject', comment: 'Use tabs.' } } })
})

test('only a server goes on with a job that nobody waits for', async t => {
  const { cli } = cliFolder(t)
  const reply = ['jobs', 'reply', '0b6f3f0c-1f6e-4a53-9a3e-6a1f0d5f2b11', '--approve']
  t.match(await cli.call([...reply, '--detach']), { exitCode: EXIT.usage, stderr: /--detach needs a server/ })
  t.notMatch((await cli.call(reply)).stderr, '--detach')
})

test('one file of a job, or all of them, are written into a folder', async t => {
  const { app, services } = await buildApp(t, {
    definitions: {
      task: scriptedJob(async ({ files }) => {
        await files.put(
          new Map([
            ['src/a.txt', 'one\n'],
            ['b.txt', 'two\n'],
          ]),
        )
      }),
      feature: scriptedJob(async () => {}),
    },
  })
  const url = await app.listen({ port: 0, host: '127.0.0.1' })
  const { cli, home } = cliFolder(t)
  const call = (...args: string[]) => cli.call(['jobs', 'files', ...args, '--server', url])
  const made = async (type: 'task' | 'feature') =>
    (await services.jobs.settled((await services.jobs.create(type, {})).job.id, 10_000)).id
  const id = await made('task')
  t.match(await call(id, 'src/a.txt', '--output', 'one'), { exitCode: EXIT.done, stdout: /^Wrote 1 file to one/ })
  t.same(readdirSync(join(home, 'one'), { recursive: true }).sort(), ['src', 'src/a.txt'])
  t.match(await call(id, '--output', 'all'), { exitCode: EXIT.done, stdout: /^Wrote 2 files to all/ })
  t.same(readdirSync(join(home, 'all'), { recursive: true }).sort(), ['b.txt', 'src', 'src/a.txt'])
  t.match(await call(id, 'nope', '--output', 'no'), { exitCode: EXIT.missing, stderr: /keeps no file "nope"/ })
  t.match(await call(await made('feature'), '--output', 'no'), { exitCode: EXIT.missing, stderr: /keeps no files/ })
  t.notOk(existsSync(join(home, 'no')))
})
