import { join } from 'node:path'
import type { Test } from 'tap'
import { loadConfig, type Config, type Variables } from '../../src/config.ts'
import type { JsonObject } from '../../src/core/job.ts'
import { createRepos } from '../../src/repos/repos.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import { move, type Direction, type MoveReport } from '../../src/services/move.ts'
import { buildApp, cloneInto, type TestApp } from './build-app.ts'
import { INLINE_THREADS } from './inline-threads.ts'
import { createShop, SHOP_TRACE } from './sample-repository.ts'
import { scriptedJob } from './scripted-job.ts'
import { bundled, upload } from './uploads.ts'

const DATE = 1_750_000_000
const signal = new AbortController().signal

/** Keeps files, asks, and goes on with what was answered. */
async function painting(context: JobContext): Promise<unknown> {
  const { step, ask, files, log } = context
  await step('draft', async () => {
    log('drafting')
    await files.put(
      new Map<string, string | Uint8Array>([
        ['a.txt', `draft of ${context.id}`],
        ['b.bin', Buffer.from([0, 255, 26])],
      ]),
    )
    return { drafted: true }
  })
  const reply = await ask('colour', { kind: 'clarification', question: 'Which colour?' })
  await step('paint', () => files.put(new Map([['a.txt', `painted ${JSON.stringify(reply)}`]])))
  return { reply }
}

/** Jobs of a test that ask and keep files. */
export const PAINTING = { generate: scriptedJob(painting), task: scriptedJob(async () => ({ done: true })) }

/** What a single machine holds, and where. */
interface SingleMachine {
  root: string
  /** Where its repositories lie, which any machine may clone. */
  reposDir: string
  /** Ids of jobs: one that ended, one that waits. */
  ended: string
  waiting: string
  /** The branch that a job committed, and its commit. */
  branch: string
  commit: string
}

/** What each machine has of its own: a node has no clone before a job needs one. */
const OWN = /"(?:store_bytes|history|instance)":(?:\d+|"[^"]*")/g

/** Answers of an app about everything that a machine holds, for a comparison. */
export async function tellAll(
  { app }: Pick<TestApp, 'app'>,
  { ended, waiting }: SingleMachine,
): Promise<Record<string, unknown>> {
  const told: Record<string, unknown> = {}
  const paths = [
    '/projects/shop',
    '/projects/other',
    '/jobs?limit=100',
    `/jobs/${ended}`,
    `/jobs/${ended}/files`,
    `/jobs/${ended}/files/a.txt`,
    `/jobs/${ended}/files/b.bin`,
    `/jobs/${ended}/transcript`,
    `/jobs/${waiting}`,
    `/jobs/${waiting}/files/a.txt`,
    '/tasks',
    '/resolutions',
    '/audit',
    '/projects/shop/search?q=total',
  ]
  for (const path of paths) {
    const { statusCode, body } = await app.inject(path)
    const text = body.replace(OWN, '"own":0')
    told[path] = { statusCode, body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text }
  }
  return told
}

/** A single server that did all kinds of work, and was stopped. `told` is what it said of it. */
export async function workOnSingleMachine(
  t: Test,
  root: string,
): Promise<SingleMachine & { told: Record<string, unknown> }> {
  const built = await buildApp(t, { root, definitions: PAINTING })
  const { app, services, reposDir } = built
  const shop = createShop(join(reposDir, 'shop.git'))
  await cloneInto(t, built, { url: shop.dir, project_name: 'other' })
  const { bundle } = bundled(built)
  await upload(built, bundle('--all'))
  await app.inject({ method: 'PATCH', url: '/projects/shop', body: { ci_comments: false } })
  const resolve = { stacktrace: SHOP_TRACE, project_name: 'shop', mode: 'context' }
  t.equal((await app.inject({ method: 'POST', url: '/resolve', body: resolve })).statusCode, 200)

  const make = async (type: 'generate' | 'task', input: JsonObject = {}) =>
    (await services.jobs.settled((await services.jobs.create(type, input)).job.id, 20_000)).id
  await make('task', { description: 'Give 0 for nothing', project_name: 'other' })
  const ended = await make('generate')
  const reply = await app.inject({ method: 'POST', url: `/jobs/${ended}/reply?wait=20`, body: { answer: 'green' } })
  t.match(reply.json(), { status: 'succeeded' })
  const waiting = await make('generate')
  const gone = await make('generate')
  await app.inject({ method: 'POST', url: `/jobs/${gone}/cancel` })
  t.equal((await app.inject({ method: 'DELETE', url: `/jobs/${gone}` })).statusCode, 204)
  await services.idle()
  const machine = { root, reposDir, ended, waiting, branch: 'faultline/job-1', commit: '' }
  const told = await tellAll(built, machine)
  const base = shop.git('rev-parse', 'main')
  await built.close()

  const repos = createRepos({
    clonedReposDir: join(root, 'cloned_repos'),
    allowLocalRepos: [reposDir],
    allowPrivateHosts: true,
    gitTokens: new Map(),
    sshKeysDir: null,
  })
  const { commit } = await repos.commitFiles(
    {
      repository: 'shop',
      projectName: 'other',
      base,
      branch: machine.branch,
      files: { 'made/by-a-job.txt': 'kept\n' },
      message: 'Mend it\n',
      date: DATE,
    },
    signal,
  )
  await repos.close()
  return { ...machine, commit, told }
}

/** The settings of a machine with these folders, and a cluster to move to or from. */
export const moveConfig = (root: string, databaseUrl: string, env: Variables = {}): Config =>
  loadConfig({ root, env: { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent', ...env } })

/** Moves in this process. */
export async function moveNow(
  config: Config,
  direction: Direction,
  { checkOnly = false, abortAt }: { checkOnly?: boolean; abortAt?: number } = {},
): Promise<MoveReport> {
  const cut = new AbortController()
  let seen = 0
  return await move(config, {
    direction,
    checkOnly,
    signal: cut.signal,
    log: { info() {}, warn() {}, error() {} },
    starter: INLINE_THREADS,
    onProgress: () => {
      if (++seen === abortAt) cut.abort(new Error('cut off'))
    },
  })
}
