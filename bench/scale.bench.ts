// What several nodes cost against one process, how soon a node without anything answers, and what a load takes.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createMovingRepository } from './bench-server.ts'
import { createKeepAliveClient } from './keep-alive-client.ts'
import { madeTraces } from './made-traces.ts'
import { bytesBelow, measureCold } from './scale/cold.ts'
import { added, askAll, NOTHING, perCoreSecond, runJobs, shareOf, type Share } from './scale/load.ts'
import { startCluster, startPair, startSingle, type Site } from './scale/sites.ts'
import { asTable, sizing, type Load, type Steps } from './scale/sizing.ts'
import { quantiles } from './measure.ts'
import { sourceFiles } from './source-files.ts'

const HELP = `usage: node bench/scale.bench.ts REPOSITORY.git [options]

One process, two nodes that answer with two that work over PostgreSQL 18 and an object store, and two processes that
know nothing of each other take turns on the same repository, the same traces and the same number of connections. The
last show what the machine takes for two busy processes. Requests go to the servers of each in turn, as a balancer sends
them. Counted are answers and the processor time of all servers and of PostgreSQL, until what they left for later is
done, too: this holds on a machine that others use. Then a node with empty folders answers alone, and the table says
what a load takes by what single steps took.

  --traces N       different stack traces (default 10000)
  --seconds S      of each round (default 8)
  --rounds N       of each kind (default 3)
  --jobs-made N    jobs that are made in each round (default 200)
  --commits-made N commits that follow the first one (default 6)
  --objects KIND   folder or postgres (default folder)
  --repositories N, --mb N, --crashes N, --commits N, --jobs N, --peak N
                   the load of the table: repositories and megabytes of source of each, crashes, commits and further
                   jobs a day, and how much more than the mean the busiest hour brings`

const PROJECT = 'subject'
const CONNECTIONS = 20
/** Both nodes keep the index then, as so many ask about it. */
const WARM_UP = 2_000
const WARM_UP_JOBS = 60
/** The place of the nodes among the sites. */
const CLUSTER = 1
const BAR = { perCore: 0.9, coldMs: 4_000 }

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean' },
    traces: { type: 'string', default: '10000' },
    seconds: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '3' },
    'jobs-made': { type: 'string', default: '200' },
    'commits-made': { type: 'string', default: '6' },
    objects: { type: 'string', default: 'folder' },
    repositories: { type: 'string', default: '10000' },
    mb: { type: 'string', default: '20' },
    crashes: { type: 'string', default: '1000000' },
    commits: { type: 'string', default: '50000' },
    jobs: { type: 'string', default: '60000' },
    peak: { type: 'string', default: '8' },
  },
})
const [repository] = positionals
if (repository === undefined || options.help === true) {
  console.error(HELP)
  process.exit(options.help === true ? 0 : 2)
}
const source = realpathSync(resolve(repository))
const root = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-scale-')))
mkdirSync(join(root, 'repos'))
const moving = createMovingRepository(join(root, 'repos/subject.git'), source)
const commits = moving.commits(Number(options['commits-made']) + 1)
const [firstCommit = ''] = commits

interface Job {
  id: string
  status: string
}

/** Brings a project to where the repository is. */
async function clone(url = ''): Promise<void> {
  const made = await fetch(`${url}/clone`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: moving.dir, project_name: PROJECT }),
  })
  let job = (await made.json()) as Job
  while (job.status === 'queued' || job.status === 'running') {
    job = (await (await fetch(`${url}/jobs/${job.id}?wait=60`)).json()) as Job
  }
  if (job.status !== 'succeeded') throw new Error(JSON.stringify(job))
}

const cloneShare = (site: Site): Promise<Share> =>
  shareOf(site, async () => {
    await clone(site.urls[0])
    return 1
  })

/** How many events the newest job of a kind has. */
async function eventsOf({ urls }: Site, filter: string): Promise<number> {
  const [url = ''] = urls
  const { data: jobs } = (await (await fetch(`${url}/jobs?limit=1&${filter}`)).json()) as { data: Job[] }
  const { data: events } = (await (await fetch(`${url}/jobs/${jobs[0]?.id ?? ''}/events`)).json()) as {
    data: unknown[]
  }
  return events.length
}

/** Bytes of all files of a commit. */
function sourceBytes(commit: string): number {
  const listed = execFileSync('git', ['--git-dir', moving.dir, 'ls-tree', '-r', '-l', commit], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  return listed.split('\n').reduce((sum, line) => sum + (Number(/^\d+ blob \w+ +(\d+)\t/.exec(line)?.[1]) || 0), 0)
}

const coreSeconds = ({ serversMs, databaseMs }: Share): number => (serversMs + databaseMs) / 1_000

const shown = (share: Share, what: string): string =>
  `${(share.done / share.seconds).toFixed(1)} ${what}/s, ${perCoreSecond(share).toFixed(1)} a core-second; each took ` +
  `${(share.serversMs / share.done).toFixed(2)} ms of the servers, ${(share.databaseMs / share.done).toFixed(2)} ms ` +
  'of PostgreSQL'

/**
 * The same work of all sites, in turn; says what each took, and how the nodes compare with the others: the median of
 * the rounds. What `prepare` takes is not counted.
 */
async function compare(
  title: string,
  what: string,
  sites: readonly Site[],
  work: (site: Site, round: number) => Promise<number>,
  prepare: (site: Site) => Promise<unknown> = async () => {},
): Promise<Map<Site, Share>> {
  const rounds: Share[][] = []
  for (let round = 0; round < Number(options.rounds); round++) {
    const shares: Share[] = []
    for (const site of sites) {
      await prepare(site)
      shares.push(await shareOf(site, () => work(site, round)))
    }
    rounds.push(shares)
  }
  const sums = sites.map((_, at) => rounds.reduce((sum, shares) => added(sum, shares[at] ?? NOTHING), NOTHING))
  const nodesBeside = (other: number): string => {
    const ratios = rounds.map(
      shares => perCoreSecond(shares[CLUSTER] ?? NOTHING) / perCoreSecond(shares[other] ?? NOTHING),
    )
    const all = ratios.map(one => one.toFixed(2)).join(', ')
    return `${quantiles(ratios).p50.toFixed(2)} times as many a core-second as ${sites[other]?.name ?? ''} (${all})`
  }
  console.log(`\n${title}`)
  for (const [at, site] of sites.entries()) console.log(`  ${site.name}: ${shown(sums[at] ?? NOTHING, what)}`)
  for (const other of sites.keys()) {
    if (other !== CLUSTER) console.log(`  the nodes: ${nodesBeside(other)}`)
  }
  return new Map(sites.map((site, at) => [site, sums[at] ?? NOTHING]))
}

const client = createKeepAliveClient(CONNECTIONS)
const env = { ALLOW_LOCAL_REPOS: [join(root, 'repos'), source].join(','), JOBS_CONCURRENCY: '2' }
const sites: Site[] = []
try {
  moving.moveTo(firstCommit)
  const single = await startSingle({ root, env: { ...env, JOBS_CONCURRENCY: '4' } })
  sites.push(single)
  const cluster = await startCluster({ root, env, objectsIn: options.objects === 'postgres' ? 'postgres' : 'folder' })
  sites.push(cluster)
  const pair = await startPair({ root, env })
  sites.push(pair)
  const both = [single, cluster] as const
  const all = [single, cluster, pair]
  const mb = sourceBytes(firstCommit) / 1e6

  const indexing = [await cloneShare(single), await cloneShare(cluster)] as const
  const stored = (): number => (cluster.objects === null ? NaN : bytesBelow(cluster.objects))
  const storedAtFirst = stored()
  for (const url of pair.urls) await clone(url)
  console.log(`${source}: ${mb.toFixed(1)} MB of source`)
  for (const [i, share] of indexing.entries()) {
    console.log(
      `  ${both[i]?.name ?? ''}: indexed with ${coreSeconds(share).toFixed(1)} core-seconds, ` +
        `${(share.databaseMs / 1_000).toFixed(2)} of them PostgreSQL, in ${share.seconds.toFixed(1)} s`,
    )
  }
  const traces = madeTraces(await sourceFiles(source, firstCommit), Number(options.traces))
  const bodies = traces.map(stacktrace => JSON.stringify({ stacktrace, project_name: PROJECT, mode: 'context' }))
  const seconds = Number(options.seconds)
  /** No trace comes again within a minute, in which the answer to it would be at hand. */
  const asked = new Map<Site, number>()
  async function askNew(site: Site, options: { seconds: number; least?: number }): Promise<number> {
    const from = asked.get(site) ?? 0
    const answered = await askAll(client, site, { ...options, bodies, from })
    asked.set(site, from + answered)
    return answered
  }
  for (const site of all) {
    await askAll(client, site, { bodies: bodies.slice(-1), seconds: 1, least: WARM_UP })
    await askNew(site, { seconds: 2, least: 50 })
  }

  const different = await compare('different traces', 'answers', all, site => askNew(site, { seconds }))
  const one = bodies.slice(0, 1)
  const same = await compare(
    'the same trace',
    'answers',
    all,
    site => askAll(client, site, { bodies: one, seconds, least: WARM_UP }),
    // the first answer of each node is what different traces cost, and it forgets them after a minute
    site => askAll(client, site, { bodies: one, seconds: 1, least: 2 * CONNECTIONS }),
  )
  const jobsMade = Number(options['jobs-made'])
  // both workers have the index and the clone then, as both nodes that answer do
  for (const site of both) await runJobs(client, site, bodies.slice(-WARM_UP_JOBS))
  const jobs = await compare('jobs, each of which resolves a trace', 'jobs', both, (site, round) =>
    runJobs(client, site, bodies.slice(round * jobsMade, (round + 1) * jobsMade)),
  )
  const eventsOfJob = await eventsOf(cluster, 'type=resolve')

  const following: [Share, Share] = [NOTHING, NOTHING]
  for (const commit of commits.slice(1)) {
    moving.moveTo(commit)
    for (const i of [0, 1] as const) following[i] = added(following[i], await cloneShare(both[i]))
  }
  console.log('\none more commit')
  for (const [i, share] of following.entries()) {
    console.log(
      `  ${both[i]?.name ?? ''}: ${(coreSeconds(share) / share.done).toFixed(2)} core-seconds, ` +
        `${(share.databaseMs / share.done).toFixed(0)} ms of them PostgreSQL`,
    )
  }
  const storedAtLast = stored()
  const eventsOfCommit = await eventsOf(cluster, 'type=clone')

  const cold = await measureCold(client, cluster, bodies)
  console.log(
    `\na node with empty folders: first answer after ${cold.answerMs.toFixed(0)} ms, the next one after ` +
      `${cold.againMs.toFixed(0)} ms; reading all ${cold.objects} objects (${(cold.bytes / 1e6).toFixed(1)} MB) ` +
      `takes ${cold.transferMs.toFixed(0)} ms; bar: ${BAR.coldMs} ms and the transfer`,
  )
  console.log(`bar: at least ${BAR.perCore} times as many answers a core-second as one process gives`)

  const of = (shares: ReadonlyMap<Site, Share>): Share => shares.get(cluster) ?? NOTHING
  const steps: Steps = {
    indexPerMb: coreSeconds(indexing[1]) / mb,
    commit: coreSeconds(following[1]) / following[1].done,
    sameCrash: 1 / perCoreSecond(of(same)),
    newCrash: 1 / perCoreSecond(of(different)),
    job: 1 / perCoreSecond(of(jobs)),
    indexBytes: bytesBelow(join(root, 'single/vector_store')) / 1e6 / mb,
    storedBytes: storedAtFirst / 1e6 / mb,
    commitBytes: (storedAtLast - storedAtFirst) / following[1].done,
    eventsOfCommit,
    eventsOfJob,
  }
  const number = (name: 'repositories' | 'mb' | 'crashes' | 'commits' | 'jobs' | 'peak') => Number(options[name])
  const load: Load = {
    repositories: number('repositories'),
    mb: number('mb'),
    crashes: number('crashes'),
    commits: number('commits'),
    jobs: number('jobs'),
    peak: number('peak'),
  }
  console.log(`\n${asTable(sizing(steps, load))}`)
} finally {
  client.close()
  for (const site of sites.toReversed()) await site.end()
  rmSync(root, { recursive: true, force: true })
}
