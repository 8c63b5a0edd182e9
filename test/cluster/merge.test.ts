import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import type { TaskResultAnswer } from '../../src/contract/task.ts'
import { openDatabase } from '../../src/postgres/pool.ts'
import { startModelServer } from '../fakes/model-server.ts'
import { CLUSTER_SECRET } from '../helpers/cluster.ts'
import { until } from '../helpers/cluster/worker-process.ts'
import { startGitHttpServer } from '../helpers/git-http-server.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { patient } from '../helpers/patient-fetch.ts'
import { ANY_VERSION, databaseSettings, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { inJail, needing, openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, startServerProcess } from '../helpers/server-process.ts'
import { DESCRIPTION, mend, NODE_FILES, reviewed } from '../helpers/task-project.ts'

const here = needing(inJail, noPostgres(ANY_VERSION) === false, 'PostgreSQL is not installed')
const FILES = { 'src/mean.js': NODE_FILES['src/mean.js'] ?? '', 'README.md': '# Mean\n' }

interface JobAnswer {
  id: string
  status: string
  error: { message: string } | null
  result: TaskResultAnswer | null
}

/** A job once it has ended. */
const ended = (ask: (path: string) => Promise<JobAnswer>, id: string): Promise<JobAnswer> =>
  until(
    `end of ${id}`,
    async () => {
      const job = await ask(`/jobs/${id}?wait=10`)
      return ['queued', 'running'].includes(job.status) ? null : job
    },
    240_000,
  )

for (const moment of ['hold', 'swallow'] as const) {
  const name = moment === 'hold' ? 'between its merge and the push' : 'when its push was carried out and not answered'
  test(`a worker that is killed ${name}: the next one comes to the same`, here, async t => {
    const server = await startPostgres()
    t.teardown(() => server.close())
    const below = openFolder(t)
    const served = join(below, 'served')
    mkdirSync(served)
    const remote = createGitRepository(join(served, 'mean.git'), { files: FILES })
    remote.git('config', 'http.receivepack', 'true')
    const git = await startGitHttpServer(served)
    t.teardown(() => git.close())
    const model = await startModelServer({ chat: [mend(), reviewed('approve')] })
    t.teardown(() => model.close())
    const DATABASE_URL = await server.createDatabase()
    const env = {
      DATABASE_URL,
      CLUSTER_SECRET,
      ALLOW_PRIVATE_HOSTS: 'true',
      LLM_BASE_URL: model.baseUrl,
      LLM_MODEL: 'scripted',
    }
    const start = async (name: string) => {
      const node = await startServerProcess(join(below, name), { ...env, NODE_NAME: name }, INLINE_SERVER)
      t.teardown(() => node.end('SIGKILL'))
      return node
    }
    const first = await start('first')
    const ask = async (origin: string, path: string, body?: object): Promise<JobAnswer> => {
      const headers = { 'content-type': 'application/json' }
      const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
      return (await (await patient(() => fetch(`${origin}${path}`, init))).json()) as JobAnswer
    }
    const cloned = await ask(first.url, '/clone?wait=60', { url: `${git.url}/mean.git`, project_name: 'mean' })
    t.equal(cloned.error?.message ?? cloned.status, 'succeeded')
    const pushing = Promise.withResolvers<undefined>()
    git.behaviour = { [moment]: () => pushing.resolve(undefined) }
    const task = { description: DESCRIPTION, project_name: 'mean', auto_merge: true, push: true }
    const { id } = await ask(first.url, '/tasks', task)
    const early = ended(path => ask(first.url, path), id).catch(() => null) // it is killed
    const before = await Promise.race([pushing.promise, early])
    if (before !== undefined) throw new Error(`it ended before its push: ${JSON.stringify(before)}`)
    await first.end('SIGKILL')
    git.behaviour = {}

    const second = await start('second')
    const job = await ended(path => ask(second.url, path), id)
    t.equal(job.error?.message ?? job.status, 'succeeded')
    const { merged, merge_commit: merge = '', commit } = job.result ?? {}
    t.equal(merged, true)
    t.equal(remote.git('rev-parse', 'main'), merge)
    t.equal(remote.git('rev-parse', 'main^2'), commit)
    const clone = join(below, 'first', 'cloned_repos', 'mean')
    const kind = execFileSync('git', [`--git-dir=${clone}`, 'cat-file', '-t', String(merge)]).toString()
    t.equal(kind, 'commit\n', 'it is the one that the first worker made')
    t.equal(model.requests.length, 2, 'nothing that it had done is done again')
    const db = openDatabase(databaseSettings(DATABASE_URL), { name: 'test', onError: () => {} })
    t.teardown(() => db.close())
    const { rows } = await db.query('SELECT branch, commit_id FROM kept_branches')
    t.same(rows, [{ branch: 'ai/task-1-attempt-1', commit_id: commit }], 'its branch is kept, and no base any more')
  })
}
