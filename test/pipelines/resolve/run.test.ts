import { test } from 'tap'
import { noFaultResolution } from '../../../src/pipelines/resolve/no-fault.ts'
import { createResolvePipeline } from '../../../src/pipelines/resolve/run.ts'
import { NO_FORGE } from '../../helpers/no-forge.ts'
import { NO_INVESTIGATION } from '../../helpers/no-investigation.ts'
import { openJobs } from '../../helpers/open-jobs.ts'

const COMMIT = 'c'.repeat(40)
const SUSPECT = {
  commit: COMMIT,
  author: 'Ada',
  date: '2026-03-01T12:00:00.000Z',
  summary: 'Count twice',
  path: 'a.py',
  lines: [1],
  score: 1,
  why: 'last changed it',
}

test('suspects that come late are an event of the job, in the words of the contract, and are waited for', async t => {
  const found = noFaultResolution({
    projectName: 'shop',
    commit: COMMIT,
    indexState: 'ready',
    log: 'x',
    passedOver: 0,
  })
  const { jobs } = await openJobs(t, {
    resolve: createResolvePipeline({
      describeProject: async () => ({ projectName: 'shop', commit: COMMIT, indexState: 'ready' }),
      ...NO_FORGE,
      ...NO_INVESTIGATION,
      tellOrigins: async () => [],
      withoutSecrets: async text => text,
      prompts: { sha256: () => '' },
      async resolve(_input, { onSuspects, waitForSuspects }) {
        t.equal(waitForSuspects, true)
        onSuspects?.({ id: found.id, suspectCommits: [SUSPECT], suspectsStatus: 'ok' })
        return found
      },
    }),
  })
  const { job } = await jobs.create('resolve', { project_name: 'shop', stacktrace: 'x' })
  t.match(await jobs.settled(job.id, 10_000), { status: 'succeeded' })
  const events = await jobs.events(job.id, 0)
  t.match(
    events.filter(({ event }) => event === 'suspects').map(({ data }) => data),
    [{ id: found.id, suspect_commits: [SUSPECT], suspects_status: 'ok' }],
  )
})
