import { test } from 'tap'
import type { ResolvedRun } from '../../src/pipelines/resolve/ci-log.ts'
import { createTellOrigins } from '../../src/services/ci-origins.ts'

const SIGNAL = new AbortController().signal
const DAY_MS = 86_400_000
const NOW = new Date('2026-01-31T12:00:00Z')

const frame = (path: string | null, more: object = {}) => ({
  path,
  inProject: true,
  repository: 'shop',
  codeLine: 5,
  ...more,
})
const RESOLUTION = {
  id: 'res_1',
  exceptions: [
    { relation: 'root', type: 'TypeError', message: 'x is not a function', fingerprint: 'f1' },
    { relation: 'cause', type: 'Error', message: 'no', fingerprint: 'f2' },
    { relation: 'root', type: 'Error', message: 'none', fingerprint: null },
  ],
  frames: [
    frame('src/a.js'),
    frame('src/a.js', { codeLine: 9 }),
    frame('lib/b.js', { inProject: false }),
    frame('src/c.js', { repository: 'gone' }),
    frame(null),
  ],
}
const RUN = {
  projectName: 'shop',
  jobId: 'j9',
  resolutions: [RESOLUTION],
  log: 'TypeError: x is not a function',
  commit: 'head',
  base: 'main',
  isRead: true,
  isWhole: true,
}
interface Earlier {
  jobId: string
  at: string
  commit: string
  fingerprints: string[]
  sketch: never[]
}
const earlierRun = (jobId: string, commit: string, fingerprints = ['f1']): Earlier => ({
  jobId,
  at: '2026-01-30T00:00:00Z',
  commit,
  fingerprints,
  sketch: [],
})

/** What is asked and written for a run; commits of `onBase` come before what they are compared with. */
async function told(
  run: object = {},
  {
    earlier = [] as Earlier[],
    kept = [] as string[],
    onBase = [] as string[],
    fetchesRefs = true,
    repositories = [
      { repository: 'api', commit: 'tipOfApi' },
      { repository: 'shop', commit: 'tip' },
    ],
  } = {},
) {
  const fetched: string[] = []
  const compared: string[] = []
  const changes: object[] = []
  const listed: string[] = []
  const written: unknown[] = []
  const tell = createTellOrigins({
    git: {
      async fetchRef({ repository, ref, timeoutMs }: { repository: string; ref: string; timeoutMs: number }) {
        fetched.push(`${repository} ${ref} ${timeoutMs}`)
        return { commit: ref === 'unknown' ? null : `commit of ${ref}` }
      },
      async changedLines({ signal: _signal, ...asked }: { signal?: AbortSignal }) {
        changes.push(asked)
        return []
      },
      async isAncestor({ base, commit }: { base: string; commit: string }) {
        compared.push(`${base} < ${commit}`)
        return onBase.includes(base)
      },
    } as never,
    projects: { get: async () => ({ repositories }) } as never,
    ciRuns: {
      list: async () => earlier,
      record: async (_project: string, row: object) => {
        written.push(row)
      },
      removeBefore: async (date: string) => {
        written.push(date)
      },
    } as never,
    resolutions: {
      list: async ({ fingerprint }: { fingerprint: string }, most: number) => {
        listed.push(`${fingerprint} ${most}`)
        return kept.map((commit, at) => ({ id: `kept${at}`, at: '2026-01-29T00:00:00Z', commit }))
      },
      keeper: {
        addOrigin: async (origin: object) => {
          written.push(origin)
        },
      },
    } as never,
    fetchesRefs,
    retentionDays: 7,
    now: () => NOW,
  })
  const origins = await tell({ ...RUN, ...run } as unknown as ResolvedRun, SIGNAL)
  return { origins, fetched, compared, changes, listed, written }
}

test('a run is compared in the clone that its frames point into, by the files of its own frames alone', async t => {
  const { origins, fetched, changes, written, listed } = await told()
  t.same(fetched, ['shop head 20000', 'shop main 20000'])
  t.same(changes, [{ repository: 'shop', base: 'commit of main', commit: 'commit of head', paths: ['src/a.js'] }])
  t.same(listed, ['f1 20'], 'causes are no faults of their own')
  t.equal(origins.length, 1)
  const [row, date, origin] = written
  t.match(row, { jobId: 'j9', at: NOW.toISOString(), commit: 'commit of head', fingerprints: ['f1'] })
  t.equal(date, new Date(NOW.getTime() - 7 * DAY_MS).toISOString())
  t.match(origin, { id: 'res_1', origin: origins[0]?.origin, origin_why: origins[0]?.originWhy })
})

test('without a frame that names one it is the first clone, and without any it fails', async t => {
  const { fetched } = await told({ resolutions: [{ ...RESOLUTION, frames: [frame('x', { repository: null })] }] })
  t.match(fetched, [/^api /, /^api /])
  await t.rejects(told({}, { repositories: [] }), {
    code: 'PROJECT_NOT_FOUND',
    message: 'shop has no repository any more.',
  })
})

test('what is not known of the run is not asked: a commit, a base, a log that was not read', async t => {
  const without = await told({ commit: undefined, base: undefined })
  t.same([without.fetched, without.changes], [[], []])
  t.match(without.written[0], { commit: '' })
  t.same((await told({ base: 'unknown' })).changes, [])
  t.same((await told({ commit: 'unknown' })).changes, [])
  const unread = await told({ isRead: false, isWhole: false })
  t.same([unread.changes, unread.listed], [[], []])
  t.match(unread.written[0], { sketch: [] })
  t.same((await told({}, { fetchesRefs: false })).fetched, ['shop head 0', 'shop main 0'])
})

test('earlier runs with the same faults are looked for in the history, each commit once, thirty at most', async t => {
  const earlier = [
    earlierRun('j1', 'c1'),
    earlierRun('j2', 'c1'),
    earlierRun('j3', 'c2', ['other']),
    earlierRun('j4', ''),
    earlierRun('j5', 'commit of head'),
    earlierRun('j9', 'c9'),
  ]
  t.same((await told({}, { earlier })).compared, ['c1 < commit of main'])
  t.same((await told({ base: undefined }, { earlier })).compared, ['c1 < tip'], 'there is no base')
  const many = Array.from({ length: 40 }, (_, at) => earlierRun(`j${at + 10}`, `m${at}`))
  t.equal((await told({}, { earlier: many })).compared.length, 30)
})

test('kept answers are looked for unless a commit that was not read has the same fault', async t => {
  t.same((await told({}, { kept: ['k1', 'k2'] })).compared, ['k1 < commit of main', 'k2 < commit of main'])
  const { listed } = await told({}, { kept: ['k1'], earlier: [earlierRun('j1', '')] })
  t.same(listed, [])
  t.same((await told({}, { earlier: [earlierRun('j1', '', ['other'])] })).listed, ['f1 20'])
  const [known] = (await told({}, { kept: ['k1'], onBase: ['k1'] })).origins
  const [unknown] = (await told({}, { kept: ['k1'] })).origins
  t.not(known?.origin, unknown?.origin, 'one on the base was there before the change')
})
