import { test, type Test } from 'tap'
import { EXIT } from '../../../src/cli/exit-codes.ts'
import { listen } from '../../helpers/build-app.ts'
import { buildProject } from '../../helpers/project-with-model.ts'
import { createCli } from '../../helpers/run-cli.ts'
import { inJail } from '../../helpers/sandbox.ts'
import { testFolder } from '../../helpers/test-folder.ts'

/** A server with the project `shop`, whose number is too large from `broken` on, and the command line as its client. */
async function setUp(t: Test, { broken = 5, skipped = [] as number[] } = {}) {
  const built = await buildProject(t, { 'n.txt': '0\n', 'README.md': 'Numbers.\n' }, [])
  const ids = [built.commit]
  for (let n = 1; n < 9; n++) {
    const text = n >= broken ? 'too many' : String(n)
    const files = { 'n.txt': `${skipped.includes(n) ? 'skip' : text}\n` }
    ids.push(built.repository.commit(files, { message: `Commit ${n}` }))
  }
  const body = { url: built.repository.dir, project_name: 'shop' }
  const { id } = (await built.app.inject({ method: 'POST', url: '/clone', body })).json()
  t.match((await built.app.inject(`/jobs/${id}?wait=60`)).json(), { status: 'succeeded' })
  const url = await listen(t, built)
  return { ...built, ids, cli: createCli(testFolder(t)), server: ['--server', url], good: ids[0] ?? '' }
}

test('words after -- are the command; the first bad commit is shown, with the runs as they go', inJail, async t => {
  const { cli, server, good, app } = await setUp(t)
  const found = await cli.call(['bisect', 'shop', '--good', good, ...server, '--', 'grep', '-vq', 'too many', 'n.txt'])
  t.equal(found.exitCode, EXIT.done, found.stderr)
  t.match(
    found.stdout,
    /^The first bad commit:\n {2}[0-9a-f]{10} {2}\d{4}-\d\d-\d\d {2}Ada Tester {2}Commit 5\n\d runs for 8/,
  )
  t.match(found.stderr, /[0-9a-f]{10} "Commit \d": (?:good|bad) \(exit code [01]\); about \d more/)
  const { data } = (await app.inject('/jobs?type=bisect')).json()
  const transcript = (await app.inject(`/jobs/${data[0].id}/transcript`)).json()
  t.match(transcript.data[0], { body: { command: "grep -vq 'too many' n.txt" } })
  const shown = await cli.call(['jobs', 'show', data[0].id, ...server])
  t.match(shown.stdout, /The first bad commit:/)
})

test('only skipped commits left is exit code 1; --json is the job', inJail, async t => {
  const { cli, server, good, ids } = await setUp(t, { skipped: [4, 5] })
  const command = 'if grep -q skip n.txt; then exit 125; fi; ! grep -q "too many" n.txt'
  const found = await cli.call(['bisect', 'shop', '--good', good, '--command', command, '--json', ...server])
  t.equal(found.exitCode, EXIT.failed)
  const { type, result } = JSON.parse(found.stdout) as {
    type: string
    result: { candidates: Array<{ commit: string }> }
  }
  t.match({ type, result }, { type: 'bisect', result: { first_bad: null, candidates_total: 3 } })
  t.same(result.candidates.map(({ commit }) => commit).sort(), ids.slice(4, 7).sort())
})

test('what is wrong is said in the words of the command line', inJail, async t => {
  const { cli, server, good, ids } = await setUp(t)
  const call = (...args: string[]) => cli.call(['bisect', 'shop', ...args, ...server])
  const wrong = await call('--good', ids[7] ?? '', '--command', '! grep "too many" n.txt')
  t.match(wrong, { exitCode: EXIT.usage, stderr: /is not good: .* exit code 1[^]*succeeds with --good/ })
  t.match(await call('--good', good, '--command', 'exit 130'), {
    exitCode: EXIT.failed,
    stderr: /says neither good nor bad: exit code 130[^]*--timeout.*faultline jobs retry/,
  })
  t.match(await call('--good', good), { exitCode: EXIT.usage, stderr: /-- pytest -x/ })
  t.match(await cli.call(['bisect', 'shop', '--good', good, '--command', 'a', ...server, '--', 'b']), {
    exitCode: EXIT.usage,
    stderr: /given twice/,
  })
  t.match(await call('--command', 'true'), { exitCode: EXIT.usage, stderr: /--good/ })
  t.match(await call('--good', 'a..b', '--command', 'true'), { exitCode: EXIT.usage, stderr: /not a name that git/ })
})
