import { writeFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { createLineLog } from '../../../src/repos/history/line-log.ts'
import { cloned, GIT, numbered } from './search-in.ts'

const log = (clones: string, options: object = {}) =>
  createLineLog({ clonedReposDir: clones, searchPath: GIT, timeoutMs: 60_000, ...options })

test('lines are followed back to where they came from, with what each commit did to them alone', async t => {
  const ids: string[] = []
  const { clones, commit } = await cloned(t, {
    build(made) {
      ids.push(made.commit({ 'src/a.py': numbered({ 5: 'total = 1' }) }, { message: 'Count\u001b[2K totals' }))
      ids.push(made.commit({ 'src/a.py': null, 'lib/b.py': numbered({ 5: 'total = 1' }) }, { message: 'Move it' }))
      ids.push(made.commit({ 'lib/b.py': numbered({ 5: 'total = 2', 11: 'far away' }) }, { message: 'Count twice' }))
      return made.commit({ 'README.md': 'words' }, { message: 'Write words' })
    },
  })
  const read = log(clones)
  const place = { repository: 'shop', path: 'lib/b.py', readAt: commit, startLine: 5, endLine: 6 }
  const found = await read(place)
  t.match(found, { status: 'ok', complete: true })
  t.same(
    found.commits.map(({ summary }) => summary),
    ['Count twice', 'Count [2K totals', 'First commit'],
  )
  t.equal(found.commits[0]?.commit, ids[2])
  t.match(found.commits[0], { author: 'Ada Tester', date: /^2024-/, diff: /^-total = 1\n\+total = 2$/m })
  t.notMatch(found.commits[0]?.diff, /far away/)
  t.equal(await read(place), found, 'what was found is kept')
  t.same((await read({ ...place, path: 'lib/none.py' })).commits, [])
})

test('without its history, or another clone, nothing is said', async t => {
  const shallow = await cloned(t, {
    build: made => made.commit({ 'src/a.py': numbered({ 2: 'x' }) }),
    depth: 'shallow',
  })
  const place = { repository: 'shop', path: 'src/a.py', readAt: shallow.commit, startLine: 2, endLine: 2 }
  t.same(await log(shallow.clones)(place), { status: 'shallow_history', commits: [], complete: false })
  for (const wrong of [{ repository: '../shop' }, { repository: 'other' }, { readAt: 'main' }, { readAt: '--all' }]) {
    t.match(await log(shallow.clones)({ ...place, ...wrong }), { status: 'shallow_history', commits: [] })
  }
})

test('a search without the time says so and is not kept, one that nobody waits for ends', async t => {
  const { clones, commit } = await cloned(t, { build: made => made.commit({ 'src/a.py': numbered({ 2: 'x' }) }) })
  const bin = join(clones, '..', 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'git'), '#!/bin/sh\nexec sleep 600\n', { mode: 0o755 })
  const place = { repository: 'shop', path: 'src/a.py', readAt: commit, startLine: 2, endLine: 2 }
  const slow = log(clones, { searchPath: `${bin}:${GIT}`, timeoutMs: 50 })
  t.match(await slow(place), { status: 'timed_out', commits: [], complete: false })
  const gone = new AbortController()
  const asked = log(clones, { searchPath: `${bin}:${GIT}` })({ ...place, signal: gone.signal })
  gone.abort(new Error('hung up'))
  await t.rejects(asked, { message: 'hung up' })
})
