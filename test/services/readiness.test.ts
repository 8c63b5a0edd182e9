import { test } from 'tap'
import { loadConfig } from '../../src/config.ts'
import { diagnose } from '../../src/services/diagnose.ts'
import { createReadiness, type ReadinessSources } from '../../src/services/readiness.ts'
import { LARGE_SEARCH } from '../helpers/hnsw.ts'
import { testFolder } from '../helpers/test-folder.ts'

const GIT = { version: '2.50.1', warning: null }
const SANDBOX = { available: true, reason: null, fix: null, memoryLimit: 'kernel' } as const
const CONFIG = loadConfig({ root: '/nonexistent', env: {} })
const never = () => new Promise<never>(() => {})
const broken = async () => {
  throw new Error('spawn EMFILE at /srv/private')
}

interface Parts {
  git?: ReadinessSources['git']['gitVersion']
  sandbox?: ReadinessSources['sandbox']['probe']
  disk?: ReadinessSources['disk']['state']
}

/** Readiness over these parts, and what it logged. */
function over(parts: Parts, times = { answerMs: 20, ageMs: 60_000 }) {
  const failures: unknown[] = []
  const ready = createReadiness(
    CONFIG,
    {
      git: { gitVersion: parts.git ?? (async () => GIT) },
      sandbox: { probe: parts.sandbox ?? (async () => SANDBOX) },
      disk: { state: parts.disk ?? (async () => 'ok') },
      search: () => 'exact',
      onFailure: error => failures.push(error),
    },
    times,
  )
  return { ready, failures }
}

test('what works is said, and which limit of memory holds', async t => {
  t.match(await over({}).ready(), {
    ready: true,
    git: { available: true, version: '2.50.1', warning: null },
    sandbox: { available: true, reason: null, fix: null, memory_limit: 'kernel' },
    disk: 'ok',
    search: 'exact',
  })
  t.match(await over({ git: async () => null }).ready(), { ready: false, git: { warning: /apt-get install git/ } })
  t.match(await over({ disk: async () => 'full' }).ready(), { ready: false, disk: 'full' })
  t.match(await over({ disk: async () => 'low' }).ready(), { ready: true, disk: 'low' })
})

test('what hangs is missing, and the answer comes all the same', async t => {
  t.match(await over({ git: never }).ready(), {
    ready: false,
    git: { available: false, version: null, warning: 'git has not answered within 20 ms.' },
    sandbox: { available: true },
  })
  t.match(await over({ sandbox: never }).ready(), {
    ready: true,
    sandbox: { available: false, reason: /has not answered within 20 ms/, fix: String, memory_limit: null },
  })
  t.match(await over({ disk: never }).ready(), { ready: false, disk: 'full' })
})

test('what breaks is missing without a word of why, which the log has, and is asked again', async t => {
  let isBroken = true
  const { ready, failures } = over({ git: async () => (isBroken ? broken() : GIT) })
  const answer = await ready()
  t.match(answer, { ready: false, git: { available: false, warning: /the log says why/ } })
  t.notMatch(JSON.stringify(answer), /private/)
  t.match(failures, [{ message: /private/ }])
  isBroken = false
  t.match(await ready(), { ready: true, git: GIT })
})

test('many questions ask once, also while nothing answers; an answer is kept for its time', async t => {
  let asked = 0
  const answered = Promise.withResolvers<typeof GIT>()
  const git = () => {
    asked++
    return answered.promise
  }
  const { ready } = over({ git })
  await Promise.all([ready(), ready(), ready()])
  await ready()
  t.equal(asked, 1)
  answered.resolve(GIT)
  t.match(await ready(), { ready: true })
  t.match(await ready(), { ready: true })
  t.equal(asked, 1)

  const old = over({ git }, { answerMs: 20, ageMs: 0 })
  await old.ready()
  await old.ready()
  t.equal(asked, 3)
})

test('who has more time waits longer', async t => {
  const answered = Promise.withResolvers<typeof SANDBOX>()
  const { ready } = over({ sandbox: () => answered.promise })
  t.match(await ready(), { sandbox: { available: false } })
  const patient = ready({ answerMs: 60_000 })
  answered.resolve(SANDBOX)
  t.match(await patient, { sandbox: { available: true } })
})

test('a machine is looked at without a server, too', async t => {
  const config = loadConfig({ root: testFolder(t), env: { SANDBOX: 'none' } })
  t.match(await diagnose(config), {
    git: { available: true },
    sandbox: { available: false, reason: /SANDBOX=none/, memory_limit: null },
    search: LARGE_SEARCH,
    store: { hnsw: LARGE_SEARCH === 'hnsw' ? null : /hnswlib-node/, catalogue: null },
  })
})
