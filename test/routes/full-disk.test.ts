import { test, type Test } from 'tap'
import { buildApp } from '../helpers/build-app.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

const MIB = 1_048_576
const JOB = { method: 'POST', url: '/resolve', headers: { prefer: 'respond-async' } } as const

/** An app whose disks have as much room as the test says. */
async function buildOnDisk(t: Test) {
  const disk = { free: 9_999 * MIB }
  const gate = Promise.withResolvers<undefined>()
  const built = await buildApp(t, {
    freeBytes: async () => disk.free,
    definitions: {
      generate: scriptedJob(async job => job.ask('q', { kind: 'clarification', question: 'Which?' })),
      task: scriptedJob(() => gate.promise),
    },
  })
  return { ...built, disk }
}

test('/ready says when room is short and when there is none, at once', async t => {
  const { app, disk } = await buildOnDisk(t)
  const ready = async () => (await app.inject('/ready')).json()
  t.match(await ready(), { ready: true, disk: 'ok' })
  disk.free = 1_023 * MIB
  t.match(await ready(), { ready: true, disk: 'low' })
  disk.free = 511 * MIB
  t.match(await ready(), { ready: false, disk: 'full' })
  disk.free = 9_999 * MIB
  t.match(await ready(), { ready: true, disk: 'ok' })
})

test('on a full disk new work is 507, and what frees room or waits for a person goes on', async t => {
  const { app, disk, services } = await buildOnDisk(t)
  const waiting = (await services.jobs.create('generate', {})).job.id
  const running = (await services.jobs.create('task', {})).job.id
  await services.jobs.settled(waiting, 20_000)
  disk.free = 100 * MIB
  const refused = { statusCode: 507, body: /"code":"DISK_FULL".*DELETE \/projects.*DISK_RESERVE_MB/s }
  t.match(await app.inject({ method: 'POST', url: '/clone', body: { url: 'https://example.com/a/b.git' } }), refused)
  t.match(await app.inject({ method: 'POST', url: `/jobs/${waiting}/reply`, body: { answer: 'x' } }), {
    statusCode: 202,
  })
  t.equal((await app.inject({ method: 'POST', url: `/jobs/${running}/cancel` })).statusCode, 202)
  t.equal((await app.inject({ method: 'POST', url: `/jobs/${waiting}/cancel` })).statusCode, 202)
  t.equal((await app.inject({ method: 'DELETE', url: `/jobs/${waiting}` })).statusCode, 204)
  t.equal((await app.inject('/health')).statusCode, 200)
  t.match(await app.inject({ ...JOB, body: { project_name: 'none', stacktrace: 'x' } }), { statusCode: 404 })
})
