import { join } from 'node:path'
import { test } from 'tap'
import { createGitRepository } from '../helpers/git-repository.ts'
import { inJail, openFolder } from '../helpers/sandbox.ts'
import { INLINE_SERVER, lastingOrphans, startServerProcess } from '../helpers/server-process.ts'
import { call, until, type WireJob } from './job-over-http.ts'

const BROKEN = 12
const COMMAND = 'sleep 0.3; test "$(cat n)" -lt 12'

interface Entry {
  kind: string
  step: string
}

/** Where the server is killed: how many runs are over by then, at least. */
for (const runs of [0, 2, 4]) {
  test(
    `kill -9 after ${runs} runs: the search goes on after the restart, and no run that was over is repeated`,
    { ...inJail, timeout: 300_000 },
    async t => {
      const root = openFolder(t)
      const repository = createGitRepository(join(root, 'repos', 'shop.git'), {
        files: { n: '0\n', 'README.md': 'Numbers.\n' },
      })
      const ids = [repository.git('rev-parse', 'main')]
      for (let n = 1; n < 20; n++) ids.push(repository.commit({ n: `${n}\n` }, { message: `Commit ${n}` }))
      const first = await startServerProcess(root, {}, INLINE_SERVER)
      t.teardown(() => first.end('SIGKILL')) // where the test ended before it did
      await call(first.url, '/clone?wait=60', { url: repository.dir, project_name: 'shop' })
      const body = { project_name: 'shop', good: ids[0], command: COMMAND }
      const { id } = await call(first.url, '/bisect', body)
      const entriesOf = async (url: string): Promise<Entry[]> => {
        const { data } = (await call(url, `/jobs/${id}/transcript`)) as unknown as { data: Entry[] }
        return data.filter(({ kind }) => kind === 'command')
      }
      let before: Entry[] = []
      await until(first.url, id, job => job.progress?.step === (runs < 2 ? 'check' : 'bisect'))
      while (before.length < runs) before = await entriesOf(first.url)
      await first.end('SIGKILL')

      const second = await startServerProcess(root, {}, INLINE_SERVER)
      try {
        const job: WireJob = await until(second.url, id, ({ status }) => status === 'succeeded')
        t.match(job, { status: 'succeeded', result: { first_bad: { commit: ids[BROKEN] } } }, JSON.stringify(job.error))
        const { probes } = job.result as { probes: unknown[] }
        const after = await entriesOf(second.url)
        t.same(after.slice(0, before.length), before, 'what was done stays')
        const steps = after.map(({ step }) => step)
        // the step of a run is finished a moment after its command is recorded
        t.ok(steps.length - new Set(steps).size <= 1 && new Set(steps).size === probes.length, steps.join())
        const over = before.slice(0, -1).map(({ step }) => step)
        for (const step of over) t.equal(steps.filter(one => one === step).length, 1, step)
        t.same(await lastingOrphans(root, second.child.pid ?? 0), [])
      } finally {
        await second.end('SIGTERM')
      }
    },
  )
}
