import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'tap'
import { CacheBudget } from '../../../src/core/cache-budget.ts'
import { FaultlineError } from '../../../src/core/errors.ts'
import { GitTurns } from '../../../src/repos/history/git-turns.ts'
import { createSuspectSearch, type SearchSuspects } from '../../../src/repos/history/suspects.ts'
import { eventually, processesWith } from '../../helpers/processes.ts'
import { cloned, GIT, numbered } from './search-in.ts'

test(
  'each marked line is given to the commit that changed it last, the failing one to the earlier ones, ' + 'too',
  async t => {
    const ids: string[] = []
    const { search, commit, remote } = await cloned(t, {
      build(made) {
        ids.push(made.commit({ 'src/a.py': numbered({ 5: 'total = 1' }) }, { message: 'Count totals\n\nWith a body.' }))
        ids.push(made.commit({ 'src/a.py': numbered({ 5: 'total = 1', 9: 'call()' }) }, { message: 'Call it' }))
        ids.push(made.commit({ 'src/a.py': numbered({ 5: 'total = 2', 9: 'call()' }) }, { message: 'Count twice' }))
        return made.commit({ 'README.md': 'words' }, { message: 'Write words' })
      },
    })
    const { status, changes } = await search({
      repository: 'shop',
      commit,
      ranges: [{ path: 'src/a.py', lines: [9, 5, 5, 2], failing: [5] }],
    })
    t.equal(status, 'ok')
    const first = remote.git('rev-list', '--max-parents=0', commit)
    const said = changes.map(({ commit: id, summary, lines, kind }) => ({ id, summary, lines, kind }))
    t.same(
      said.filter(({ kind }) => kind === 'last').sort((a, b) => (a.lines[0] ?? 0) - (b.lines[0] ?? 0)),
      [
        { id: first, summary: 'First commit', lines: [2], kind: 'last' },
        { id: ids[2], summary: 'Count twice', lines: [5], kind: 'last' },
        { id: ids[1], summary: 'Call it', lines: [9], kind: 'last' },
      ],
    )
    t.same(
      said.filter(({ kind }) => kind === 'earlier'),
      [
        { id: ids[0], summary: 'Count totals', lines: [5], kind: 'earlier' },
        { id: first, summary: 'First commit', lines: [5], kind: 'earlier' },
      ],
    )
    t.match(
      changes.find(({ summary }) => summary === 'Count twice'),
      { author: 'Ada Tester', date: '2024-01-01T03:00:00.000Z', path: 'src/a.py' },
    )
  },
)

test('of a line that many changed the four changes before the last one are told', async t => {
  const { search, commit } = await cloned(t, {
    build(made) {
      const ids = Array.from({ length: 8 }, (_, i) =>
        made.commit({ 'src/a.py': numbered({ 5: `total = ${i}` }) }, { message: `Count ${i}` }),
      )
      return ids.at(-1) ?? ''
    },
  })
  const ranges = [{ path: 'src/a.py', lines: [5], failing: [5] }]
  const { changes } = await search({ repository: 'shop', commit, ranges })
  t.same(
    changes.map(({ summary }) => summary),
    ['Count 7', 'Count 6', 'Count 5', 'Count 4', 'Count 3'],
  )
})

test('a line keeps its history through a renaming, and is known by its name of now', async t => {
  let moved = ''
  const { search, commit } = await cloned(t, {
    build(made) {
      made.commit({ 'src/a.py': numbered({ 5: 'moved = 1' }) }, { message: 'Write the line' })
      moved = made.commit({ 'src/a.py': null, 'lib/b.py': numbered({ 5: 'moved = 1' }) }, { message: 'Move the file' })
      return moved
    },
  })
  const { changes } = await search({
    repository: 'shop',
    commit,
    ranges: [{ path: 'lib/b.py', lines: [5], failing: [] }],
  })
  t.match(changes, [{ summary: 'Write the line', path: 'lib/b.py', lines: [5] }])
  t.equal(changes.length, 1)
})

test('a name that begins like a pattern is one of a file', async t => {
  const path = ':(glob)*.py'
  const { search, commit } = await cloned(t, {
    build(made) {
      made.commit({ [path]: numbered({ 5: 'x' }) }, { message: 'Write it' })
      return made.commit({ [path]: numbered({ 5: 'y' }) }, { message: 'Change it' })
    },
  })
  const { changes } = await search({ repository: 'shop', commit, ranges: [{ path, lines: [5], failing: [5] }] })
  t.same(
    changes.map(({ summary, kind, path: of }) => [summary, kind, of]),
    [
      ['Change it', 'last', path],
      ['Write it', 'earlier', path],
    ],
  )
})

test('without the history nobody is suspected, and the status says why', async t => {
  const { search, commit } = await cloned(t, {
    depth: 'shallow',
    build: made => made.commit({ 'src/a.py': numbered({ 5: 'x' }) }),
  })
  const ranges = [{ path: 'src/a.py', lines: [5], failing: [5] }]
  t.same(await search({ repository: 'shop', commit, ranges }), { status: 'shallow_history', changes: [] })
  t.same(await search({ repository: 'nobody', commit, ranges }), { status: 'shallow_history', changes: [] })
  t.same(await search({ repository: '../remotes', commit, ranges }), { status: 'shallow_history', changes: [] })
})

test('who indented a line anew changed it last: what is earlier is older than that', async t => {
  const { search, commit } = await cloned(t, {
    build(made) {
      made.commit({ 'src/a.py': numbered({ 5: 'send(1)' }) }, { message: 'Send it' })
      made.commit({ 'src/a.py': numbered({ 5: '  send(1)' }) }, { message: 'Send it only if asked' })
      return made.commit({ 'src/a.py': numbered({ 5: 'send(1)' }) }, { message: 'Send it always' })
    },
  })
  const { changes } = await search({
    repository: 'shop',
    commit,
    ranges: [{ path: 'src/a.py', lines: [5], failing: [5] }],
  })
  t.same(
    changes.map(({ summary, kind }) => [summary, kind]),
    [
      ['Send it always', 'last'],
      ['Send it only if asked', 'earlier'],
      ['Send it', 'earlier'],
      ['First commit', 'earlier'],
    ],
  )
})

test('without an answer of blame the newest change of the failing line is the last', async t => {
  const { commit, clones } = await cloned(t, {
    build(made) {
      made.commit({ 'src/a.py': numbered({ 5: 'x' }) }, { message: 'Write it' })
      return made.commit({ 'src/a.py': numbered({ 5: 'y' }) }, { message: 'Break it' })
    },
  })
  const folder = join(t.testdirName, 'no-blame-bin')
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\ncase "$*" in\n*blame*) exit 0 ;;\n*) exec /usr/bin/env PATH=${GIT} git "$@" ;;\nesac\n`,
  )
  chmodSync(join(folder, 'git'), 0o755)
  const search = createSuspectSearch({ clonedReposDir: clones, searchPath: folder, timeoutMs: 60_000 })
  const { changes } = await search({
    repository: 'shop',
    commit,
    ranges: [{ path: 'src/a.py', lines: [5], failing: [5] }],
  })
  t.same(
    changes.map(({ summary, kind }) => [summary, kind]),
    [
      ['Break it', 'last'],
      ['Write it', 'earlier'],
      ['First commit', 'earlier'],
    ],
  )
})

test('a file, a line or a path that the commit has not is no error', async t => {
  const { search, commit } = await cloned(t, { build: made => made.commit({ ':odd': 'a\n', '-x': 'b\n' }) })
  const at = async (path: string, line: number) =>
    await search({ repository: 'shop', commit, ranges: [{ path, lines: [line], failing: [line] }] })
  for (const [path, line] of [
    ['gone.py', 1],
    ['src/a.py', 99],
    ['src', 1],
    ['src/a.py', 0],
    ['src/*.py', 1],
    ['--output=/tmp/x', 1],
  ] as const) {
    t.same(await at(path, line), { status: 'ok', changes: [] }, `${path}:${line}`)
  }
  t.match(await at(':odd', 1), { changes: [{ lines: [1] }] })
  t.match(await at('-x', 1), { changes: [{ lines: [1] }] })
})

test('names and subjects come as one line of text', async t => {
  const { search, commit } = await cloned(t, {
    build: made =>
      made.commit({ 'src/a.py': numbered({ 5: 'x' }) }, { message: `\u001b[31mred\ttab ${'long '.repeat(100)}` }),
  })
  const {
    changes: [change],
  } = await search({ repository: 'shop', commit, ranges: [{ path: 'src/a.py', lines: [5], failing: [] }] })
  t.match(change?.summary, /^\[31mred tab long/)
  t.ok((change?.summary.length ?? 0) <= 200)
})

test('a search that takes too long is killed and gives what it has', async t => {
  const { commit, clones } = await cloned(t, {
    build: made => made.commit({ 'src/a.py': numbered({ 5: 'x' }) }, { message: 'Break it' }),
  })
  const folder = join(t.testdirName, 'slow-bin')
  mkdirSync(folder)
  const script = join(folder, 'git')
  writeFileSync(
    script,
    `#!/bin/sh\ncase "$*" in\n*blame*) exec /usr/bin/env PATH=${GIT} git "$@" ;;\n` +
      `*) exec /bin/sh -c 'while : ; do /bin/sleep 1 ; done' ${folder}/endless ;;\nesac\n`,
  )
  chmodSync(script, 0o755)
  const ranges = [{ path: 'src/a.py', lines: [5], failing: [5] }]
  const search = createSuspectSearch({ clonedReposDir: clones, searchPath: folder, timeoutMs: 1_000 })
  t.match(await search({ repository: 'shop', commit, ranges }), {
    status: 'timed_out',
    changes: [{ summary: 'Break it', lines: [5] }],
  })
  t.ok(await eventually(() => processesWith(`${folder}/endless`).length === 0), 'nothing runs on')
  t.match(
    await createSuspectSearch({ clonedReposDir: clones, searchPath: GIT, timeoutMs: 60_000 })({
      repository: 'shop',
      commit,
      ranges,
    }),
    { status: 'ok' },
    'and is not remembered',
  )
})

/** A git that waits at a gate before it begins, each time. */
function gated(clones: string) {
  const tools = join(clones, '..', 'tools')
  mkdirSync(tools)
  const gate = join(tools, 'gate')
  execFileSync('mkfifo', [gate])
  writeFileSync(join(tools, 'git'), `#!/bin/sh\nread -r _ < '${gate}'\nexec /usr/bin/git "$@"\n`, { mode: 0o755 })
  chmodSync(join(tools, 'git'), 0o755)
  return {
    searchPath: `${tools}:${GIT}`,
    letGo: async () => await writeFile(gate, 'go\n'), // returns when git has come to the gate
  }
}

test('where too many searches wait for git an answer comes at once with what is known', async t => {
  const { commit, clones } = await cloned(t, { build: made => made.commit({ 'src/a.py': numbered({ 5: 'x' }) }) })
  const { searchPath, letGo } = gated(clones)
  const search = createSuspectSearch({
    clonedReposDir: clones,
    searchPath,
    timeoutMs: 60_000,
    turns: new GitTurns({ maxWaiting: 0 }),
  })
  const ask = (line: number) =>
    search({ repository: 'shop', commit, ranges: [{ path: 'src/a.py', lines: [line], failing: [] }] })
  const first = ask(5)
  t.same(await ask(7), { status: 'timed_out', changes: [] })
  await letGo()
  const known = await first
  t.match(known, { status: 'ok', changes: [{ lines: [5] }] })
  const other = ask(8)
  t.same(await ask(5), known, 'what is known needs no git')
  await letGo()
  await other
  const last = ask(7)
  await letGo()
  t.match(await last, { status: 'ok', changes: [{ lines: [7] }] }, 'and is asked when git is free')
})

test('a hundred that ask at once all have their turn', async t => {
  const { commit, clones } = await cloned(t, { build: made => made.commit({ 'src/a.py': numbered({ 5: 'x' }) }) })
  const { searchPath, letGo } = gated(clones)
  const rest = async (): Promise<void> => {}
  const search = createSuspectSearch({
    clonedReposDir: clones,
    searchPath,
    timeoutMs: 60_000,
    turns: new GitTurns({ rest }),
  })
  const ranges = [{ path: 'src/a.py', lines: [5], failing: [] }]
  const all = Array.from({ length: 100 }, () => search({ repository: 'shop', commit, ranges }))
  await letGo()
  const statuses = (await Promise.all(all)).map(({ status }) => status)
  t.same(new Set(statuses), new Set(['ok']))
})

test('searches wait for each other, with a rest between them; who waits too long gets what is known', async t => {
  const { commit, clones } = await cloned(t, { build: made => made.commit({ 'src/a.py': numbered({ 5: 'x' }) }) })
  const { searchPath, letGo } = gated(clones)
  const rests: Array<PromiseWithResolvers<void> & { ms: number }> = []
  const options = { clonedReposDir: clones, searchPath, timeoutMs: 60_000 }
  const rest = (ms: number): Promise<void> => {
    rests.push({ ...Promise.withResolvers<void>(), ms })
    return rests.at(-1)?.promise ?? Promise.resolve()
  }
  const asking = (search: SearchSuspects) => async (line: number) =>
    (await search({ repository: 'shop', commit, ranges: [{ path: 'src/a.py', lines: [line], failing: [] }] })).status
  const patient = createSuspectSearch({ ...options, turns: new GitTurns({ rest, queueMs: 60_000 }) })
  const ask = asking(patient)
  const [first, second] = [ask(5), ask(6)]
  await patient({ repository: 'shop', commit, ranges: [] }) // has read what the second reads: that one is in line
  await letGo()
  t.equal(await first, 'ok')
  t.ok(await eventually(() => rests.length === 1))
  t.ok((rests[0]?.ms ?? 0) > 0 && (rests[0]?.ms ?? Infinity) <= 1_000)
  rests[0]?.resolve()
  await letGo()
  t.equal(await second, 'ok')
  t.equal(rests.length, 1, 'no rest when nobody waits')

  const hurried = asking(createSuspectSearch({ ...options, turns: new GitTurns({ rest, queueMs: 1 }) }))
  const atWork = hurried(7)
  t.equal(await hurried(8), 'timed_out')
  await letGo()
  t.equal(await atWork, 'ok')
  const again = hurried(8)
  await letGo()
  t.equal(await again, 'ok', 'the line is free for the next')
})

test('a line that the file lacks spoils no other', async t => {
  const { search, commit } = await cloned(t, { build: made => made.commit({ 'src/a.py': numbered({ 5: 'x' }) }) })
  const ranges = [{ path: 'src/a.py', lines: [5, 99], failing: [] }]
  t.match(await search({ repository: 'shop', commit, ranges }), { status: 'ok', changes: [{ lines: [5] }] })
})

test('an abort ends a search with its reason', async t => {
  const { search, commit } = await cloned(t, { build: made => made.commit({ 'src/a.py': numbered({ 5: 'x' }) }) })
  const reason = new FaultlineError('CANCELLED', 'gone')
  await t.rejects(
    search({
      repository: 'shop',
      commit,
      ranges: [{ path: 'src/a.py', lines: [5], failing: [5] }],
      signal: AbortSignal.abort(reason),
    }),
    { code: 'CANCELLED' },
  )
})

test('git is asked once about each line, whichever searches name it', async t => {
  const { commit, clones } = await cloned(t, {
    build: made => made.commit({ 'src/a.py': numbered({ 5: 'x', 9: 'y' }) }, { message: 'Change two' }),
  })
  const folder = join(t.testdirName, 'counting-bin')
  mkdirSync(folder)
  writeFileSync(
    join(folder, 'git'),
    `#!/bin/sh\necho "$*" >> ${folder}/calls\nexec /usr/bin/env PATH=${GIT} git "$@"\n`,
  )
  chmodSync(join(folder, 'git'), 0o755)
  const search = createSuspectSearch({ clonedReposDir: clones, searchPath: folder, timeoutMs: 60_000 })
  const ask = async (lines: number[], failing: number[] = []) =>
    await search({ repository: 'shop', commit, ranges: [{ path: 'src/a.py', lines, failing }] })
  /** The lines that git was asked about since the last look: those of `blame`, and `log` for earlier changes. */
  function asked(): string[] {
    const calls = readFileSync(join(folder, 'calls'), 'utf8').trimEnd().split('\n')
    writeFileSync(join(folder, 'calls'), '')
    return calls
      .filter(call => call !== '')
      .flatMap(call => (/ log /.test(call) ? ['log'] : [...call.matchAll(/-L (\d+),/g)].map(([, line = '']) => line)))
      .sort()
  }
  const first = await ask([5])
  t.same(asked(), ['5'])
  t.same(await ask([5]), first)
  t.same(asked(), [])
  t.match(await ask([9, 5, 2]), { status: 'ok', changes: [{ lines: [2] }, { summary: 'Change two', lines: [5, 9] }] })
  t.same(asked(), ['2', '9'], 'one call for those that are not known')
  t.match(await ask([5, 9], [5]), {
    changes: [
      { kind: 'last', lines: [5, 9] },
      { kind: 'earlier', lines: [5] },
    ],
  })
  t.same(asked(), ['log'])
  const { changes } = await ask([2, 9], [9])
  t.same(asked(), ['log'])
  const fresh = createSuspectSearch({ clonedReposDir: clones, searchPath: GIT, timeoutMs: 60_000 })
  t.same(
    changes,
    (await fresh({ repository: 'shop', commit, ranges: [{ path: 'src/a.py', lines: [2, 9], failing: [9] }] })).changes,
    'what was put together is what one question gives',
  )
})

test('what is kept is bounded in bytes', async t => {
  const { commit, clones } = await cloned(t, { build: made => made.commit({ 'src/a.py': numbered({ 5: 'x' }) }) })
  const budget = new CacheBudget(2_000)
  const search = createSuspectSearch({ clonedReposDir: clones, searchPath: GIT, timeoutMs: 60_000, budget })
  for (let line = 1; line <= 12; line++) {
    const ranges = [{ path: 'src/a.py', lines: [line], failing: [] }]
    t.match(await search({ repository: 'shop', commit, ranges }), { status: 'ok', changes: [{ lines: [line] }] })
    t.ok(budget.bytes > 0 && budget.bytes <= 2_000)
  }
})
