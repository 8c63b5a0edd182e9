import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { shareClones, type CloneCopies } from '../../src/replication/shared-clones.ts'
import { createRepos } from '../../src/repos/repos.ts'
import { createGitRepository } from '../helpers/git-repository.ts'

const { signal } = new AbortController()
const OPTIONS = { signal, onProgress: () => {} }

/** Nodes with folders of their own, over copies of folders that one may switch off. */
function cluster(t: Test) {
  const root = t.testdir()
  const remotes = join(root, 'remotes')
  const shelf = join(root, 'shelf')
  mkdirSync(shelf)
  const names = new Map<string, string>()
  const failed: unknown[] = []
  /** What branches on the shelf stand on and no clone may have. */
  const bases: string[] = []
  let restores = 0
  let isAway = false
  const needShelf = () => {
    if (isAway) throw new FaultlineError('DATABASE_UNAVAILABLE', 'Away.')
  }

  /** Branches are kept as the whole folder here: what packs hold is for their own tests. */
  function copiesOf(clones: string): CloneCopies {
    const folderOf = ({ repository, uploadedInto }: Parameters<CloneCopies['save']>[0]) =>
      uploadedInto === null ? repository : join('.uploaded', uploadedInto.toLowerCase(), repository.toLowerCase())
    const branches = (from: string, to: string) =>
      execFileSync('git', ['-C', to, 'fetch', '--quiet', from, '+refs/heads/*:refs/heads/*'])
    async function save(of: Parameters<CloneCopies['save']>[0]) {
      needShelf()
      rmSync(join(shelf, folderOf(of)), { recursive: true, force: true })
      cpSync(join(clones, folderOf(of)), join(shelf, folderOf(of)), { recursive: true })
    }
    return {
      save,
      async saveIfOld(of) {
        if (!existsSync(join(shelf, folderOf(of)))) await save(of)
      },
      async restore(of) {
        needShelf()
        const [from, to] = [join(shelf, folderOf(of)), join(clones, folderOf(of))]
        if (!existsSync(from) || existsSync(to)) return false
        cpSync(from, to, { recursive: true })
        return true
      },
      async saveBranch({ repository }) {
        needShelf()
        const kept = join(shelf, `${repository}.branches`)
        rmSync(kept, { recursive: true, force: true })
        cpSync(join(clones, repository), kept, { recursive: true })
      },
      async restoreBranches({ repository }) {
        needShelf()
        const kept = join(shelf, `${repository}.branches`)
        restores++
        if (bases.length === 0 && existsSync(kept)) branches(kept, join(clones, repository))
        return { bases: bases.splice(0) }
      },
    }
  }

  function openNode(name: string) {
    const clones = join(root, name)
    const local = createRepos({
      clonedReposDir: clones,
      allowLocalRepos: [remotes],
      allowPrivateHosts: true,
      gitTokens: new Map(),
      sshKeysDir: null,
    })
    t.teardown(() => local.close())
    const repos = shareClones({
      local,
      copies: copiesOf(clones),
      nameOf: async ({ identity, names: [first = ''] }) => {
        const known = names.get(identity) ?? first
        names.set(identity, known)
        return known
      },
      onFailed: error => failed.push(error),
      patienceMs: 5_000,
    })
    return { clones, repos }
  }
  return {
    remotes,
    shelf,
    failed,
    bases,
    restores: () => restores,
    openNode,
    goAway: (is: boolean) => {
      isAway = is
    },
  }
}

const branchesIn = (clones: string) =>
  execFileSync('git', ['-C', join(clones, 'shop'), 'for-each-ref', '--format=%(refname:short)', 'refs/heads'])
    .toString()
    .trim()

async function withCommit(t: Test) {
  const world = cluster(t)
  const one = world.openNode('one')
  const remote = createGitRepository(join(world.remotes, 'shop.git'), { files: { a: '1' } })
  const { repository, url, branch, commit } = await one.repos.sync({ url: remote.dir, projectName: 'shop' }, OPTIONS)
  const wanted = { repository, url, branch, commit, projectName: 'shop' }
  const commitRequest = {
    ...{ repository, projectName: 'shop', base: commit, branch: 'faultline/fix' },
    ...{ files: { a: '2' }, message: 'Mend it', date: 1_700_000_000 },
  }
  return { ...world, one, remote, wanted, commitRequest }
}

test('a clone and the branches committed in it come to another node without the remote', async t => {
  const { one, openNode, remote, wanted, commitRequest } = await withCommit(t)
  await one.repos.commitFiles(commitRequest, signal)
  rmSync(remote.dir, { recursive: true })
  const two = openNode('two')
  await two.repos.bring(wanted, signal)
  t.ok(await two.repos.holds('shop', 'shop'))
  t.equal(branchesIn(two.clones), 'faultline/fix')
  await two.repos.bring(wanted, signal)
  t.equal(branchesIn(two.clones), 'faultline/fix')
})

test('what a branch stands on is fetched before the branch comes, and nothing else is', async t => {
  const { one, openNode, remote, wanted, commitRequest, bases, restores } = await withCommit(t)
  const two = openNode('two')
  await two.repos.bring(wanted, signal)
  t.equal(restores(), 1)
  await one.repos.commitFiles(commitRequest, signal)
  const [first, second] = [remote.commit({ a: '3' }), remote.commit({ a: '4' })]
  bases.push(first, second)
  await two.repos.bring(wanted, signal)
  t.equal(restores(), 3, 'once for what is lacking, once more for the branch')
  t.equal(branchesIn(two.clones), 'faultline/fix')
  for (const ref of [first, second]) {
    t.equal((await two.repos.fetchRef({ repository: 'shop', ref, timeoutMs: 0 }, signal)).commit, ref)
  }
})

test('without a copy the clone is made from the remote, with the commit that is indexed', async t => {
  const { openNode, remote, wanted, shelf } = await withCommit(t)
  rmSync(join(shelf, 'shop'), { recursive: true })
  remote.commit({ a: 'newer' })
  const two = openNode('two')
  await two.repos.bring(wanted, signal)
  t.equal(
    (await two.repos.fetchRef({ repository: 'shop', ref: wanted.commit, timeoutMs: 0 }, signal)).commit,
    wanted.commit,
  )
})

test('a clone that lacks the commit is brought up to date, and keeps what it has', async t => {
  const { one, openNode, remote, wanted, commitRequest } = await withCommit(t)
  const two = openNode('two')
  await two.repos.bring(wanted, signal)
  await two.repos.commitFiles(commitRequest, signal)
  const tip = remote.commit({ a: '3' })
  const synced = await one.repos.sync({ url: remote.dir, projectName: 'shop' }, OPTIONS)
  t.equal(synced.commit, tip)
  await two.repos.bring({ ...wanted, commit: tip }, signal)
  t.equal((await two.repos.fetchRef({ repository: 'shop', ref: tip, timeoutMs: 0 }, signal)).commit, tip)
  t.equal(branchesIn(two.clones), 'faultline/fix')
})

test('a step that goes on elsewhere finds the clone that an earlier one made', async t => {
  const { openNode } = await withCommit(t)
  const two = openNode('two')
  t.ok(await two.repos.holds('shop', 'shop'))
  t.notOk(await two.repos.holds('shop', 'other'))
  t.notOk(await two.repos.holds('none', 'shop'))
})

test('while copies cannot be kept a clone is one all the same, and a branch waits', async t => {
  const { one, remote, wanted, commitRequest, failed, goAway } = await withCommit(t)
  goAway(true)
  const tip = remote.commit({ a: '3' })
  t.equal((await one.repos.sync({ url: remote.dir, projectName: 'shop' }, OPTIONS)).commit, tip)
  t.ok(failed.length > 0, 'it is reported')
  const stopped = new AbortController()
  const cut = one.repos.commitFiles({ ...commitRequest, branch: 'faultline/other' }, stopped.signal)
  stopped.abort(new Error('stop'))
  await t.rejects(cut)
  const waits = one.repos.commitFiles(commitRequest, signal)
  const before = failed.length
  while (failed.length === before) await new Promise(resolve => setImmediate(resolve))
  goAway(false)
  t.match(await waits, { commit: /^[0-9a-f]{40}$/ })
  t.equal(wanted.repository, 'shop')
})
