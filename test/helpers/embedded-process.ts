// A process that runs the jobs of a folder by itself, until it is killed or one of its jobs kills it.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Jobs } from '../../src/jobs/jobs.ts'
import { openJobsDatabase } from '../../src/jobs/store/sqlite/database.ts'
import { SqliteJobStore } from '../../src/jobs/store/sqlite/sqlite-job-store.ts'
import { JOBS_LIMITS } from './jobs-defaults.ts'
import { scriptedJob } from './scripted-job.ts'

const root = process.argv[2] ?? ''
const store = new SqliteJobStore(openJobsDatabase(join(root, 'jobs.sqlite')))
const jobs = new Jobs({
  ...JOBS_LIMITS,
  store,
  workspacesDir: join(root, 'workspaces'),
  onError: console.error,
  definitions: {
    generate: scriptedJob(async ({ step }) => {
      await step('first', async () => 1)
      await step('explode', async () => process.kill(process.pid, 'SIGKILL'))
    }),
    improve: scriptedJob(async ({ step }) => {
      await step('slow', async signal => delay(1_000, 'done', { signal }))
      return 'done'
    }),
  },
})
await jobs.start()
if (!existsSync(join(root, 'made'))) {
  writeFileSync(join(root, 'made'), '')
  for (const type of ['improve', 'generate', 'improve'] as const) await jobs.create(type, {})
}
for (;;) {
  const left = (await jobs.list({}, 10, null)).filter(({ status }) => status === 'queued' || status === 'running')
  if (left.length === 0) break
  await delay(20)
}
console.log(JSON.stringify(await jobs.list({}, 10, null)))
process.exit(0)
