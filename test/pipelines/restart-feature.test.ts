import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { t as file, test, type Test } from 'tap'
import type { FeatureResultAnswer } from '../../src/contract/feature.ts'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { FEATURE_FILES, planned, REQUEST, written } from '../helpers/feature-project.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { eventually } from '../helpers/processes.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, lastingOrphans, startServerProcess, type ServerProcess } from '../helpers/server-process.ts'
import { fsck } from '../helpers/task-project.ts'
import { call, until, type WireJob } from './job-over-http.ts'

file.setTimeout(600_000) // the usual half minute is for the whole file, which a busy machine needs alone

/** Whose tests take long enough for a feature to be seen while they run. */
const SLOW_FILES = {
  ...FEATURE_FILES,
  'package.json': JSON.stringify({
    type: 'module',
    scripts: { typecheck: 'node scripts/typecheck.js', test: "sleep 1; node --test 'tests/**/*.test.ts'" },
  }),
}
const HANG: Reply = { hang: true }
/** Has a server hold a feature after its first skeleton, as long as there is a file `held` in its folder. */
const HOLDING = ['--import', new URL('../helpers/held-scaffold.ts', import.meta.url).href]
const BODY = { request: REQUEST, project_name: 'shop', push: true }
const WHOLE = [planned(), ...written()]
const BRANCH = 'feat/add-characters-v1'

async function setup(t: Test, chat: Reply[], { isHeld = false, isSlow = false } = {}) {
  const root = openFolder(t)
  const model = await startModelServer({ chat })
  t.teardown(() => model.close())
  const repository = createGitRepository(join(root, 'remotes', 'shop.git'), {
    files: isSlow ? SLOW_FILES : FEATURE_FILES,
  })
  repository.git('config', 'http.receivepack', 'true')
  const remote = await startGitHttpServer(join(root, 'remotes'))
  t.teardown(() => remote.close())
  const env = { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', ALLOW_PRIVATE_HOSTS: 'true' }
  const start = (flags: string[] = []): Promise<ServerProcess> =>
    startServerProcess(root, env, INLINE_SERVER, { flags })
  const first = await start(isHeld ? HOLDING : [])
  t.teardown(() => first.end('SIGKILL')) // where the test ended before it did
  await call(first.url, '/clone?wait=60', { url: `${remote.url}/shop.git`, project_name: 'shop' })
  const gitDir = join(root, 'cloned_repos', 'shop')
  const branches = (): string[] =>
    execFileSync('git', [`--git-dir=${gitDir}`, 'for-each-ref', '--format=%(refname:short)', 'refs/heads'])
      .toString()
      .split('\n')
      .filter(name => name !== '')
  const remoteBranches = (): string[] =>
    repository.git('for-each-ref', '--format=%(refname:short)', 'refs/heads').split('\n')
  const workspaces = (): string[] => {
    const folder = join(root, 'data', 'workspaces')
    const folders = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
    return folders
      .filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
      .flatMap(({ name }) => readdirSync(join(folder, name)).filter(part => part !== 'files'))
  }
  return { root, model, start, first, remote, repository, gitDir, branches, remoteBranches, workspaces }
}

type Built = Awaited<ReturnType<typeof setup>>

/** Where a feature is disturbed: after how many replies of the model, and what it waits for there. */
interface Disturbed {
  state: string
  of?: string
  done: number
  heldBy?: 'model' | 'scaffold' | 'remote' | 'lost answer'
}

const STATES: Disturbed[] = [
  { state: 'planning', done: 0, heldBy: 'model' },
  { state: 'scaffolding', done: 1, heldBy: 'scaffold' },
  { state: 'coding', done: 1, heldBy: 'model' },
  { state: 'verifying', done: 4 },
  { state: 'delivering', done: 4, heldBy: 'remote' },
  { state: 'delivering', of: 'a feature that was pushed', done: 4, heldBy: 'lost answer' },
  { state: 'awaiting_approval', done: 4 },
]

const isAt =
  (state: string) =>
  ({ progress, status }: WireJob): boolean =>
    progress?.step === state && (state !== 'awaiting_approval' || status === 'waiting')

/** What a remote does when it is pushed to: nothing, or what it is told to, without an answer. */
function holdPushes({ remote }: Built, heldBy: Disturbed['heldBy']): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (heldBy === 'remote') remote.behaviour.hold = resolve
  if (heldBy === 'lost answer') remote.behaviour.swallow = resolve
  return promise
}

/** Posts the feature and comes back when it is where it is to be disturbed. */
async function begin(built: Built, { state, done, heldBy }: Disturbed): Promise<string> {
  const { first, model, root, remote } = built
  const isPushing = holdPushes(built, heldBy)
  const { id } = await call(first.url, '/features', BODY)
  if (heldBy === 'model') await model.waitForRequest(done + 1)
  if (heldBy === 'scaffold') await eventually(() => existsSync(join(root, 'held')))
  if (heldBy === 'remote' || heldBy === 'lost answer') await isPushing
  const job = await until(first.url, id, isAt(state))
  if (!isAt(state)(job)) throw new Error(`the feature did not get there: ${JSON.stringify(job)}`)
  remote.behaviour.hold = undefined
  remote.behaviour.swallow = undefined
  return id
}

for (const disturbed of STATES) {
  const { state, of = 'a feature', done, heldBy } = disturbed
  const chat = [...WHOLE.slice(0, done), ...(heldBy === 'model' ? [HANG] : [])]
  const options = { isHeld: heldBy === 'scaffold', isSlow: state === 'verifying' }

  test(`kill -9 of ${of} while it is ${state}: it goes on, and no finished call is repeated`, inJail, async t => {
    const built = await setup(t, chat, options)
    const id = await begin(built, disturbed)
    await built.first.end('SIGKILL')
    built.model.push(...WHOLE.slice(done))
    const second = await built.start()
    try {
      const waiting = await until(second.url, id, ({ status }) => status === 'waiting')
      t.match(waiting, { request: { kind: 'approve_delivery', problem: null } }, JSON.stringify(waiting.error))
      await call(second.url, `/jobs/${id}/reply`, { decision: 'approve' })
      const job = await until<FeatureResultAnswer>(second.url, id, () => false)
      t.match(job, {
        status: 'succeeded',
        result: { outcome: 'delivered', pushed: true, attempts: [{ number: 1, error: null }] },
      })
      t.equal(built.model.requests.length, chat.length + WHOLE.length - done)
      t.ok(await eventually(() => built.branches().length === 1))
      t.same(built.branches(), [BRANCH])
      t.same(built.remoteBranches(), [BRANCH, 'main'])
      t.equal(built.repository.git('rev-parse', BRANCH), job.result.commit)
      t.equal(built.repository.git('rev-list', '--count', `main..${BRANCH}`), '1', 'it is committed once')
      t.same(built.workspaces(), [])
      t.same([fsck(built.gitDir), fsck(built.repository.dir)], ['', ''])
    } finally {
      await second.end('SIGKILL')
    }
    t.same(await lastingOrphans(built.root, process.pid), [])
  })

  test(`a cancel of ${of} while it is ${state} leaves nothing`, inJail, async t => {
    const built = await setup(t, chat, options)
    const main = built.repository.git('rev-parse', 'main')
    const id = await begin(built, disturbed)
    await call(built.first.url, `/jobs/${id}/cancel`, {})
    t.match(await until(built.first.url, id, () => false), { status: 'cancelled' })
    const left = () => [built.branches(), built.remoteBranches(), built.workspaces()]
    await eventually(() => left().flat().join() === 'main')
    t.same(left(), [[], ['main'], []])
    t.equal(built.repository.git('rev-parse', 'main'), main)
    await built.first.end('SIGKILL')
    t.same([fsck(built.gitDir), fsck(built.repository.dir)], ['', ''])
    t.same(await lastingOrphans(built.root, process.pid), [])
  })
}

test('a feature that was cancelled just before a kill leaves no branch after the start', inJail, async t => {
  const built = await setup(t, WHOLE)
  const id = await begin(built, { state: 'awaiting_approval', done: 4 })
  await call(built.first.url, `/jobs/${id}/cancel`, {})
  await built.first.end('SIGKILL') // perhaps before the branch was deleted
  const second = await built.start()
  try {
    await eventually(() => built.branches().length === 0 && built.remoteBranches().length === 1)
    t.same([built.branches(), built.remoteBranches()], [[], ['main']])
  } finally {
    await second.end('SIGKILL')
  }
})
