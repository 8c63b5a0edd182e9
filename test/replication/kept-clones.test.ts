import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { BlobStore } from '../../src/object-store/blobs/blob-store.ts'
import { openFolderStore } from '../../src/object-store/folder-store.ts'
import type { Database } from '../../src/postgres/database.ts'
import { createBlobUses } from '../../src/replication/blob-uses.ts'
import { BLOB_GRACE_MS, collectBlobs } from '../../src/replication/collect-blobs.ts'
import { createKeptClones } from '../../src/replication/kept-clones.ts'
import { ANY_VERSION, noPostgres, openTestDatabase, startPostgres } from '../helpers/postgres.ts'
import { fileAt, git, setup, signal } from '../repos/objects/commit-to.ts'
import { openRepos } from '../repos/test-repos.ts'

const OF = { repository: 'shop', projectName: 'Shop' }
const SHOP = { repository: 'shop', uploadedInto: null }
const JOB = { ...OF, branch: 'faultline/job' }
const RUN = { seq: 1, attempt: 1 }

async function cluster(t: Test, db: Database) {
  const top = t.testdir()
  await db.query('DROP TABLE IF EXISTS jobs CASCADE')
  await db.query('CREATE TABLE jobs (seq bigint PRIMARY KEY, attempt int NOT NULL, status text NOT NULL)')
  await db.query(`INSERT INTO jobs VALUES (1, 1, 'running')`)
  const blobs = new BlobStore(openFolderStore(join(top, 'objects')))
  let later = 0
  const now = () => new Date(Date.now() + later)
  const uses = createBlobUses({ db, blobs, graceMs: BLOB_GRACE_MS, now })
  const first = await setup(t, { files: { 'src/a.js': 'one\n', b: 'x' } })
  const keptBy = (repos: typeof first.repos, node: string) =>
    createKeptClones({ db, blobs, uses, repos, workDir: join(top, node), node })
  const otherNode = (name: string) => {
    const clones = join(top, `${name}-clones`)
    const repos = openRepos(t, {
      clonedReposDir: clones,
      allowLocalRepos: [join(first.remote.dir, '..')],
      allowPrivateHosts: true,
    })
    const sync = () => repos.sync({ url: first.remote.dir, projectName: 'Shop' }, { signal, onProgress: () => {} })
    return { clones, gitDir: join(clones, 'shop'), repos, sync, kept: keptBy(repos, name) }
  }
  return {
    ...{ db, top, first, otherNode, blobs },
    kept: keptBy(first.repos, 'one'),
    collect: () => collectBlobs({ blobs, uses, now, signal }),
    stored: () => readdirSync(join(top, 'objects/blobs')),
    pass: (hours: number) => {
      later += hours * 3_600_000
    },
  }
}

test('clones and branches that nodes share', { skip: noPostgres(ANY_VERSION) }, async t => {
  const server = await startPostgres()
  t.teardown(() => server.close())
  type Cluster = Awaited<ReturnType<typeof cluster>>
  const fact = (name: string, run: (t: Test, c: Cluster) => Promise<void>) =>
    t.test(name, async t => run(t, await cluster(t, await openTestDatabase(t, server))))

  await fact('a node without a clone has the one that another node kept', async (t, c) => {
    const two = c.otherNode('two')
    t.equal(await two.kept.restore(SHOP, signal), false, 'nothing is kept yet')
    t.match(await c.kept.keep(SHOP, signal), { isNew: true, bytes: Number })
    t.match(await c.kept.keep(SHOP, signal), { isNew: false }, 'the same clone gives the same bytes')
    t.equal(await two.kept.restore(SHOP, signal), true)
    t.equal(await two.kept.restore(SHOP, signal), false, 'what is there stays')
    t.equal(git(two.gitDir, 'fsck', '--no-dangling'), '')
    t.equal(await two.repos.holds('shop', 'Shop'), true)
    const { commit } = await two.sync()
    t.equal(fileAt(two.gitDir, commit, 'src/a.js'), 'one\n')
    t.same(readdirSync(join(c.top, 'two')), [], 'no tar is left')
    t.same(
      readdirSync(two.clones).filter(name => !name.startsWith('.faultline')),
      ['shop'],
    )
  })

  await fact('a clone comes whole or not at all', async (t, c) => {
    await c.kept.keep(SHOP, signal)
    const two = c.otherNode('two')
    for (const name of c.stored()) writeFileSync(join(c.top, 'objects/blobs', name), 'something else')
    await t.rejects(two.kept.restore(SHOP, signal), { message: /other bytes/ })
    t.notOk(existsSync(two.gitDir))
    t.same(readdirSync(join(c.top, 'two')), [])
    await t.rejects(c.kept.keep({ ...SHOP, repository: 'none' }, signal), { code: 'NOT_FOUND' })
    await t.rejects(c.kept.keep({ ...SHOP, repository: '../shop' }, signal), { code: 'NOT_FOUND' })
  })

  await fact('what jobs committed is put back on a node that fetched the rest', async (t, c) => {
    const one = await c.first.commitTo({ 'src/a.js': 'two\n' })
    const task = await c.first.commitTo({ b: 'y' }, { branch: 'ai/task-1-attempt-1' })
    t.equal(await c.kept.keepBranch(JOB, RUN, signal), true)
    t.equal(await c.kept.keepBranch({ ...OF, branch: 'ai/task-1-attempt-1' }, null, signal), true)
    const two = c.otherNode('two')
    await two.sync()
    t.same(await two.kept.restoreBranches(OF, signal), { bases: [] })
    t.equal(git(two.gitDir, 'rev-parse', 'faultline/job').trim(), one.commit)
    t.equal(fileAt(two.gitDir, one.commit, 'src/a.js'), 'two\n')
    t.equal(fileAt(two.gitDir, task.commit, 'b'), 'y')
    t.same((await two.repos.ownBranches('Shop')).map(({ branch }) => branch).sort(), [
      'ai/task-1-attempt-1',
      'faultline/job',
    ])
    await two.kept.restoreBranches(OF, signal)
    t.equal((await two.repos.ownBranches('Shop')).length, 2, 'again is the same')
    const pack = await c.first.repos.packBranch(JOB, signal)
    await c.first.repos.deleteBranch(JOB, signal)
    t.equal(await c.kept.keepBranch(JOB, RUN, signal), true)
    await two.kept.restoreBranches(OF, signal)
    t.same(
      (await two.repos.ownBranches('Shop')).map(({ branch }) => branch),
      ['ai/task-1-attempt-1'],
      'it is no more',
    )
    t.ok((pack.pack?.length ?? 0) < 2_000, `${pack.pack?.length} bytes are not the whole repository`)
  })

  await fact('a clone goes only when all that is its own is kept', async (t, c) => {
    const { repos } = c.first
    const remove = async (): Promise<boolean> => {
      const { tar, branches } = await c.kept.keptCommits(SHOP, signal)
      return await repos.removeCopy({ ...SHOP, kept: [...(tar ?? []), ...branches], projects: ['shop'] }, signal)
    }
    t.same(await c.kept.keptCommits(SHOP, signal), { tar: null, branches: [] })
    t.equal(await remove(), false, 'its commit is in no tar')
    await c.kept.keep(SHOP, signal)
    const { commit } = await c.first.commitTo({ 'src/a.js': 'two\n' })
    t.equal(await remove(), false, 'a branch that a job committed is not kept')
    await c.kept.keepBranch(JOB, RUN, signal)
    t.same((await c.kept.keptCommits(SHOP, signal)).branches, [commit])
    const other = { ...OF, branch: 'faultline/other' }
    await c.first.commitTo({ 'src/a.js': 'three\n' }, { branch: other.branch })
    t.equal(await remove(), false, 'nor is another one')
    await c.db.query(`UPDATE jobs SET status = 'queued'`)
    t.equal(await c.kept.keepBranch(other, RUN, signal), false)
    t.equal(await remove(), false, 'what a run committed that is over is nowhere else')
    await c.db.query(`UPDATE jobs SET status = 'running'`)
    await c.kept.keepBranch(other, RUN, signal)
    // another node deleted the branch: that was somebody's decision
    await c.db.query('DELETE FROM kept_branches')
    t.match(await repos.listCopies(), [
      { ...SHOP, users: [{ project: 'shop', commit: String }], bytes: Number, changedAt: Number },
    ])
    t.equal(await remove(), true)
    t.notOk(existsSync(c.first.gitDir))
    t.equal(await repos.hasCopy(SHOP), false)
    t.equal(await remove(), false, 'there is none any more')
    t.equal(await c.kept.restore(SHOP, signal), true)
    t.equal(await repos.holds('shop', 'Shop'), true)
  })

  await fact('what a tar holds is not believed when the store lost it, or another release wrote it', async (t, c) => {
    await c.kept.keep(SHOP, signal)
    t.equal((await c.kept.keptCommits(SHOP, signal)).tar?.length, 1)
    await c.db.query(`UPDATE kept_clones SET sha256 = repeat('0', 64)`)
    t.equal((await c.kept.keptCommits(SHOP, signal)).tar, null)
    await c.kept.keep(SHOP, signal)
    for (const name of c.stored()) rmSync(join(c.top, 'objects/blobs', name))
    t.equal((await c.kept.keptCommits(SHOP, signal)).tar, null)
  })

  await fact('a tar of yesterday is an old one, and one that the store lost is none', async (t, c) => {
    t.equal(await c.kept.isFresh(SHOP), false)
    await c.kept.keep(SHOP, signal)
    t.equal(await c.kept.isFresh(SHOP), true)
    await c.db.query(`UPDATE kept_clones SET kept_at = now() - interval '25 hours'`)
    t.equal(await c.kept.isFresh(SHOP), false)
    await c.kept.keep(SHOP, signal)
    await c.db.query('UPDATE blob_uses SET is_stored = false')
    t.equal(await c.kept.isFresh(SHOP), false)
  })

  await fact('a tar is not fetched where there is a clone', async (t, c) => {
    await c.kept.keep(SHOP, signal)
    for (const name of c.stored()) rmSync(join(c.top, 'objects/blobs', name))
    t.equal(await c.kept.restore(SHOP, signal), false)
  })

  await fact('a branch whose beginning is not there names the commits to fetch', async (t, c) => {
    const { commit } = await c.first.commitTo({ 'src/a.js': 'two\n' })
    await c.kept.keepBranch(JOB, RUN, signal)
    const base = git(c.first.gitDir, 'rev-parse', `${commit}^`).trim()
    c.first.remote.commit({ 'src/a.js': 'newer\n', b: 'newer', c: 'new' })
    const two = c.otherNode('two')
    await two.sync()
    t.same(await two.kept.restoreBranches(OF, signal), { bases: [base] })
    t.same(await two.repos.ownBranches('Shop'), [])
    await two.repos.fetchRef({ repository: 'shop', ref: base, timeoutMs: 60_000 }, signal)
    t.same(await two.kept.restoreBranches(OF, signal), { bases: [] })
    t.equal(fileAt(two.gitDir, commit, 'src/a.js'), 'two\n')
  })

  await fact('a run that lost its job keeps nothing', async (t, c) => {
    await c.first.commitTo({ b: 'y' })
    await c.db.query('UPDATE jobs SET attempt = 2')
    t.equal(await c.kept.keepBranch(JOB, RUN, signal), false)
    const two = c.otherNode('two')
    await two.sync()
    await two.kept.restoreBranches(OF, signal)
    t.same(await two.repos.ownBranches('Shop'), [])
    t.equal(await c.kept.keepBranch(JOB, { seq: 1, attempt: 2 }, signal), true)
  })

  await fact('what is kept of clones and branches goes a day after they do', async (t, c) => {
    await c.kept.keep(SHOP, signal)
    await c.first.commitTo({ b: 'y' })
    await c.kept.keepBranch(JOB, RUN, signal)
    c.pass(48)
    await c.collect()
    t.equal(c.stored().length, 2)
    await c.kept.forgetProject('shop')
    await c.kept.forgetClone('shop')
    await c.collect()
    t.equal(c.stored().length, 2)
    c.pass(25)
    await c.collect()
    t.same(c.stored(), [])
    rmSync(join(c.top, 'objects'), { recursive: true })
  })
})
