import { test } from 'tap'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { readdirSync } from 'node:fs'
import { createGitRepository } from '../helpers/git-repository.ts'
import { clonesIn, setup } from './clone/sync-to.ts'
import { eventually, processesWith } from '../helpers/processes.ts'
import { withServer } from './sync-from-server.ts'

test('a repository larger than the limits, on disk or in files, is refused and leaves nothing', async t => {
  const big = setup(t, { limits: { maxBytes: 200_000 } })
  const remote = createGitRepository(join(big.remotes, 'big.git'), { files: { a: randomBytes(300_000) } })
  await t.rejects(big.sync(remote.dir), { code: 'REPOSITORY_TOO_LARGE' })
  t.same(clonesIn(big.clones), [])
})

test('a pack that grows too large is stopped while it comes', async t => {
  const { remote, url, sync, clones } = await withServer(
    t,
    { stall: true },
    { limits: { maxBytes: 200_000, watchMs: 50 } },
  )
  remote.commit({ large: randomBytes(1_000_000) })
  await t.rejects(sync(url), { code: 'REPOSITORY_TOO_LARGE' })
  t.ok(await eventually(() => processesWith(url).length === 0))
  t.same(
    readdirSync(clones).filter(name => name !== '.faultline'),
    [],
  )
})

test('a sync that takes too long is stopped, and so is a server that does not answer', async t => {
  const { url, sync } = await withServer(t, { stall: true }, { limits: { wallMs: 1_500 } })
  await t.rejects(sync(url), { code: 'CLONE_TIMED_OUT' })
  t.ok(await eventually(() => processesWith(url).length === 0))
  const silent = await withServer(t, {}, { limits: { answerMs: 1 } })
  await t.rejects(silent.sync(silent.url), { code: 'REPOSITORY_UNREACHABLE', message: /did not answer/ })
})
