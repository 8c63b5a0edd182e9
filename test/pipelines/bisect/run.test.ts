import { test, type Test } from 'tap'
import { createBisectPipeline } from '../../../src/pipelines/bisect/pipeline.ts'
import { buildProject, type ProjectWithModel } from '../../helpers/project-with-model.ts'
import { inJail } from '../../helpers/sandbox.ts'
import type { TestFiles } from '../../helpers/git-repository.ts'

const price = (n: number, isBroken: boolean) => `def price():\n    return ${isBroken ? 'None' : n}\n`
const COMMAND = 'python3 -c "import prices; assert prices.price() is not None"'

interface History extends ProjectWithModel {
  /** The commits in their order, the first one good. */
  ids: string[]
  follow: () => Promise<void>
  bisect: (body: object) => Promise<Record<string, never>>
}

/** A project whose price is wrong from a commit on; commit `n` has the files that `change` gives. */
async function buildHistory(
  t: Test,
  { commits, change }: { commits: number; change: (n: number) => TestFiles },
): Promise<History> {
  const built = await buildProject(t, { 'prices.py': price(0, false), 'README.md': 'Prices.\n' }, [])
  const ids = [built.commit]
  for (let n = 1; n < commits; n++) ids.push(built.repository.commit(change(n), { message: `Commit ${n}` }))
  async function follow(): Promise<void> {
    const body = { url: built.repository.dir, project_name: 'shop' }
    const { id } = (await built.app.inject({ method: 'POST', url: '/clone', body })).json()
    t.match((await built.app.inject(`/jobs/${id}?wait=60`)).json(), { status: 'succeeded' })
  }
  await follow()
  return {
    ...built,
    ids,
    follow,
    bisect: async body =>
      (await built.post('/bisect', { project_name: 'shop', good: ids[0], command: COMMAND, ...body })).json(),
  }
}

test('the commit that broke something is found, each run an event and a step', inJail, async t => {
  const broken = 11
  const { bisect, ids, logsOf, app } = await buildHistory(t, {
    commits: 24,
    change: n => ({ 'prices.py': price(n, n >= broken) }),
  })
  const job = await bisect({})
  t.match(job, {
    type: 'bisect',
    status: 'succeeded',
    project_name: 'shop',
    result: {
      repository: 'shop',
      good: ids[0],
      bad: ids.at(-1),
      commits: 23,
      first_bad: { commit: ids[broken], author: 'Ada Tester', summary: 'Commit 11', date: /^\d{4}-/ },
      candidates: [],
      candidates_total: 0,
      skipped: [],
    },
  })
  const { id, result } = job as unknown as { id: string; result: { probes: Array<Record<string, unknown>> } }
  t.match(result.probes.slice(0, 2), [
    { commit: ids[0], outcome: 'good', exit_code: 0 },
    { commit: ids.at(-1), outcome: 'bad', exit_code: 1 },
  ])
  t.ok(result.probes.length <= 2 + 5, `${result.probes.length} runs for 23 commits`)
  for (const { commit, outcome } of result.probes) {
    t.equal(outcome, ids.indexOf(String(commit)) >= broken ? 'bad' : 'good')
  }
  const said = (await logsOf(id)).filter(text => /: (?:good|bad) \(exit code/.test(text))
  t.equal(said.length, result.probes.length)
  t.match(said[2], /^[0-9a-f]{10} "Commit \d+": (?:good|bad) \(exit code [01]\); about \d more runs?$/)
  const { data } = (await app.inject(`/jobs/${id}/transcript`)).json()
  t.equal(
    data.filter(({ kind }: { kind: string }) => kind === 'command').length,
    result.probes.length,
    'nothing was run beside',
  )
})

test('commits that end with 125 are skipped; when only they are left, the candidates are told', inJail, async t => {
  const change = (n: number) =>
    n === 4 || n === 5 ? { 'prices.py': 'import sys; sys.exit(125)\n' } : { 'prices.py': price(n, n >= 5) }
  const { bisect, ids } = await buildHistory(t, { commits: 10, change })
  const job = await bisect({
    command: 'python3 prices.py && python3 -c "import prices; 1 / prices.price()"',
    good: ids[1],
  })
  t.match(job, {
    status: 'succeeded',
    result: {
      first_bad: null,
      candidates_total: 3,
      skipped: [
        { commit: String, reason: 'exit code 125' },
        { commit: String, reason: 'exit code 125' },
      ],
    },
  })
  const { result } = job as unknown as { result: { candidates: Array<{ commit: string; summary: string }> } }
  t.same(result.candidates.map(({ commit }) => commit).sort(), ids.slice(4, 7).sort())
})

test(
  'a merged branch that broke it is found, and a file that was renamed on the way is where it was',
  inJail,
  async t => {
    const { bisect, repository, follow, ids } = await buildHistory(t, {
      commits: 4,
      change: n => ({ 'README.md': `Prices ${n}.\n` }),
    })
    const side = { branch: 'side', parent: ids[1] }
    repository.commit({ 'notes.md': 'notes\n' }, { ...side, message: 'Notes' })
    const culprit = repository.commit({ 'prices.py': price(1, true) }, { branch: 'side', message: 'Break it' })
    const tip = repository.commit({ 'more.md': 'more\n' }, { branch: 'side', message: 'More' })
    repository.commit({ 'prices.py': price(1, true), 'notes.md': 'notes\n' }, { merge: tip, message: 'Merge side' })
    repository.commit({ 'prices.py': null, 'shop/prices.py': price(1, true) }, { message: 'Move it' })
    await follow()
    const command = 'test -f prices.py || cd shop; ' + COMMAND
    t.match(await bisect({ command }), {
      status: 'succeeded',
      result: { first_bad: { commit: culprit, summary: 'Break it' } },
    })
  },
)

test('ends that are not what they are said to be, and in the wrong order, are clear errors', inJail, async t => {
  const { bisect, ids, repository } = await buildHistory(t, {
    commits: 5,
    change: n => ({ 'prices.py': price(n, n === 2 || n === 3) }),
  })
  const failed = async (body: object, error: object) => t.match(await bisect(body), { status: 'failed', error })
  await failed(
    { good: ids[2], bad: ids[3] },
    { code: 'VALIDATION_FAILED', message: /given as good \(\w+\), is not good: the command ended with exit code 1\.$/ },
  )
  await failed(
    {},
    { code: 'VALIDATION_FAILED', message: /given as bad \(the indexed commit\), is not bad: .* exit code 0\.$/ },
  )
  await failed({ command: 'exit 125' }, { code: 'VALIDATION_FAILED', message: /cannot be tested: exit code 125/ })
  await failed({ good: ids[3], bad: ids[1] }, { code: 'VALIDATION_FAILED', message: /came later/ })
  await failed({ bad: ids[0] }, { code: 'VALIDATION_FAILED', message: /both the commit/ })
  await failed({ good: 'v9.9' }, { code: 'REF_NOT_FOUND', message: /"v9.9" in shop/ })
  repository.commit({ 'other.md': 'other\n' }, { orphan: true, branch: 'other' })
  await failed({ bad: 'other' }, { code: 'VALIDATION_FAILED', message: /Nothing in the clone connects/ })
})

test('of branches that part, the place where they do is tested first', inJail, async t => {
  const { bisect, ids, repository } = await buildHistory(t, {
    commits: 6,
    change: n => ({ 'prices.py': price(n, n >= 2) }),
  })
  const good = repository.commit({ 'prices.py': price(9, false) }, { branch: 'release', parent: ids[1] })
  t.match(await bisect({ good }), {
    status: 'succeeded',
    result: {
      first_bad: { commit: ids[2] },
      probes: [{ commit: good }, { commit: ids.at(-1) }, { commit: ids[1], outcome: 'good' }, {}],
    },
  })
  const mended = repository.commit({ 'prices.py': price(9, false) }, { branch: 'mended', parent: ids[3] })
  t.match(await bisect({ good: mended }), {
    status: 'failed',
    error: { code: 'VALIDATION_FAILED', message: /on another branch.*mended on the way to good/ },
  })
})

test('a command that is killed ends the search; a retry from there runs nothing again', inJail, async t => {
  const { bisect, app, post, ids } = await buildHistory(t, {
    commits: 8,
    change: n => ({ 'prices.py': n > 1 && n < 6 ? 'while True: print("x" * 1000)\n' : price(n, n >= 6) }),
  })
  const stopped = (await bisect({})) as unknown as { id: string; error: { step: string } }
  t.match(stopped, {
    status: 'failed',
    error: { code: 'BISECT_STOPPED', message: /printed too much/, step: /^probe/ },
  })
  const body = { from_step: stopped.error.step, timeout_s: 60 }
  const again = (await post(`/jobs/${stopped.id}/retry`, body)).json()
  t.match(again, { status: 'failed', error: { code: 'BISECT_STOPPED' } })
  const commands = (await app.inject(`/jobs/${again.id}/transcript`))
    .json()
    .data.filter(({ kind }: { kind: string }) => kind === 'command')
  t.equal(commands.length, 1)
  t.match(await bisect({ command: 'exit 130', bad: ids[7] }), {
    status: 'failed',
    error: { code: 'BISECT_STOPPED', message: /exit code 130/ },
  })
})

test('requests that cannot be are refused before a job is made', async t => {
  const { app, ids } = await buildHistory(t, { commits: 2, change: n => ({ 'prices.py': price(n, true) }) })
  const refused = async (body: object) => {
    const given = { project_name: 'shop', good: ids[0], command: 'true', ...body }
    return (await app.inject({ method: 'POST', url: '/bisect', body: given })).json()
  }
  t.match(await refused({ project_name: 'nope' }), { code: 'PROJECT_NOT_FOUND' })
  t.match(await refused({ good: '--all' }), { code: 'BAD_REF' })
  t.match(await refused({ bad: 'refs/heads/main' }), { code: 'BAD_REF' })
  t.match(await refused({ command: ' ' }), { status: 400, code: 'VALIDATION_FAILED' })
  t.match(await refused({ command: undefined }), { status: 400, code: 'VALIDATION_FAILED' })
  t.match(await refused({ repository: 'other' }), { status: 400 })
  t.same(await refused({ dry_run: true }), { messages: [], tokens: 0, usd: 0 })
  t.match((await app.inject('/jobs?type=bisect')).json(), { data: [] })
})

test('commits whose environment cannot be made are skipped, and told', async t => {
  const tested: string[] = []
  const commit = (n: number) => n.toString(16).padStart(40, '0')
  const states = [1, 2, 3, 4].map(commit)
  const definition = createBisectPipeline({
    git: {
      history: async () => 'full',
      fetchHistory: async () => 'full',
      fetchRef: async ({ ref }) => ({ commit: ref }),
      bisectRange: async ({ good }) => ({ bases: [good], commits: 3, cutOff: 0 }),
      nextToBisect: async ({ bad, skipped }) => {
        const next = states.slice(1, 3).find(one => !skipped.includes(one) && one !== bad)
        return next === undefined
          ? { kind: 'undecided', candidates: states.slice(1) }
          : { kind: 'test', commit: next, left: 1, steps: 0 }
      },
      describeCommits: async ({ commits }) =>
        commits.map(one => ({ commit: one, author: 'A', date: '', summary: one })),
      listFiles: async () => ({ files: [], others: [] }),
      readTexts: async () => [],
      checkout: async () => {},
      checkPatch: async () => null,
    },
    commitOf: async () => ({ repository: 'shop', commit: commit(4) }),
    needEnvironment: async (_job, at, { installs } = {}) => {
      t.equal(installs, 2, 'an install that fails in passing is tried again')
      tested.push(at.commit)
      return at.commit === commit(2) || at.commit === commit(3)
        ? { status: 'failed', reason: 'no lock file', fix: 'add one' }
        : { status: 'none' }
    },
    sandbox: {
      fill: async () => {},
      remove: async () => {},
      run: async () => ({
        exitCode: tested.at(-1) === commit(1) ? 0 : 1,
        signal: null,
        stdout: '',
        stderr: '',
        truncatedBytes: 0,
        timedOut: false,
        killedBy: null,
        ready: false,
        durationMs: 1,
        sandboxed: true,
      }),
    },
  })
  const logged: string[] = []
  const job = {
    input: { project_name: 'shop', good: commit(1), command: 'true' },
    signal: new AbortController().signal,
    step: async (_name: string, run: (signal: AbortSignal) => Promise<unknown>) => run(new AbortController().signal),
    progress: () => {},
    log: (text: string) => logged.push(text),
    record: async () => {},
    workspace: async () => '/nowhere',
    files: { read: async () => Buffer.from('') },
  }
  const result = await definition.run(job as unknown as Parameters<typeof definition.run>[0])
  t.match(result, {
    firstBad: null,
    candidatesTotal: 3,
    skipped: [{ commit: commit(2), reason: 'its environment could not be made: no lock file' }, { commit: commit(3) }],
  })
  t.match(logged.join('\n'), /skipped \(its environment could not be made: no lock file\)/)
})
