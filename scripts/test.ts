// Runs test files side by side, the long ones first. Most share a process with others, one file after the other, since
// loading the product takes longer than most tests.
//
//   node scripts/test.ts [--fast] [--exact] [--shard=1/2] [--jobs=4] [--tap=FILE] [FILE or FOLDER …]
//
// --exact: as where hnswlib-node could not be installed.
import { globSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { t } from 'tap'
import { reachesOutside } from './test-imports.ts'

const ROOT = dirname(import.meta.dirname)
const PROCESS_TIMEOUT_MS = 600_000
const MORE_FOR_A_FILE_MS = 30_000
const BATCH = join(import.meta.dirname, 'test-batch.ts')
/** Files that one process runs: a few that use programs, threads or sockets, many that do not. */
const FILES_PER_PROCESS = { outside: 6, within: 60 }
/**
 * Most files wait now and then: for a program, for a server. More of them keep programs in the jail, which give way to
 * all else, from running at all on a machine of two cores.
 */
const DEFAULT_JOBS = '3'
/**
 * What waits for servers that are killed and started again, or runs many programs one after the other: more than a
 * minute each, or much of it waited. The longest stand first.
 */
const LONG = [
  'test/pipelines/restart-feature',
  'test/jobs/hand-out/pg-boss',
  'test/docs/commands',
  'test/damage',
  'test/jobs/hand-out/history',
  'test/cluster/environments',
  'test/kill',
  'test/job-kill',
  'test/jobs/run/losses',
  'test/pipelines/restart',
  'test/pipelines/feature',
  'test/pipelines/task/checks.test.ts',
  'test/pipelines/task/task.test.ts',
  'test/pipelines/bisect/run',
  'test/postgres-server',
  'test/server',
  'test/docs/more-commands',
]
/** Files and folders whose tests take longest, the longest first; the others follow in any order. */
const FIRST = [
  ...LONG,
  'test/pipelines',
  'test/cluster',
  'test/move',
  'test/repos',
  'test/routes',
  'test/cli',
  'test/indexer',
  'test/threads',
  'test/http',
  'test/sandbox',
]

const { values: options, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    fast: { type: 'boolean', default: false },
    exact: { type: 'boolean', default: false },
    shard: { type: 'string', default: '1/1' },
    jobs: { type: 'string', default: DEFAULT_JOBS },
    tap: { type: 'string' },
  },
})

type Kind = 'alone' | 'outside' | 'within'

function kindOf(file: string): Kind {
  if (LONG.some(start => file.startsWith(start))) return 'alone'
  return reachesOutside(file) ? 'outside' : 'within'
}

function rankOf(file: string): number {
  const rank = FIRST.findIndex(start => file.startsWith(start))
  return rank === -1 ? FIRST.length : rank
}

/** Every n-th of the files, longest first, so that the shards take about as long as each other. */
function testFiles(): string[] {
  const patterns = wanted.length === 0 ? ['test'] : wanted
  const files = patterns.flatMap(path => (statSync(path).isDirectory() ? globSync(`${path}/**/*.test.ts`) : [path]))
  const chosen = options.fast ? files.filter(file => !reachesOutside(file)) : files
  const [shard = 1, shards = 1] = options.shard.split('/').map(Number)
  return [...new Set(chosen)]
    .sort((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .filter((_, index) => index % shards === shard - 1)
}

/** An assertion of a test file that failed, with what TAP says of it. */
const FAILURE = /^ *not ok .*\n(?: +---\n[^]*?\n +\.\.\.\n)?/gm

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

/** Parts of a list of so many each, in its order. */
const partsOf = <T>(list: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, part) => list.slice(part * size, (part + 1) * size))

/** Two lists as one, each in its order and spread over the whole. */
function mixed<T>(first: readonly T[], second: readonly T[]): T[] {
  const placed = [first, second].flatMap(list => list.map((item, index) => ({ item, at: (index + 0.5) / list.length })))
  return placed.sort((a, b) => a.at - b.at).map(({ item }) => item)
}

/**
 * The files that one process runs each, which spares the starts of others: one that must be alone, a few of those that
 * reach out of their process, many of the others. The many are dealt out, since the files of a folder take about as
 * long as each other. They compute all the time, and those that are alone wait much: so they run beside each other.
 * Short groups come last, so that none is left to run with an idle processor.
 */
function groupsOf(files: readonly string[]): string[][] {
  const { alone = [], outside = [], within = [] } = Object.groupBy(files, kindOf)
  const count = Math.ceil(within.length / FILES_PER_PROCESS.within)
  const dealt = Array.from({ length: count }, (_, group) => within.filter((_file, index) => index % count === group))
  return [...mixed(partsOf(alone, 1), dealt), ...partsOf(outside, FILES_PER_PROCESS.outside)]
}

/** The environment in which nothing finds hnswlib-node: neither the tests nor what they start. */
function exactEnvironment(): Record<string, string> {
  const option = `--import=${pathToFileURL(join(ROOT, 'test/helpers/without-hnsw.ts')).href}`
  return { NODE_OPTIONS: [process.env.NODE_OPTIONS, option].join(' ').trim(), FAULTLINE_TEST_OPTIONS: option }
}

async function runGroup(files: readonly string[], number: number): Promise<void> {
  const name = files.join(' ')
  const env: NodeJS.ProcessEnv = {
    NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compile'),
    TAP_TIMEOUT: String(PROCESS_TIMEOUT_MS / 1_000),
    ...process.env,
    ...(options.exact ? exactEnvironment() : {}),
    TEST_FILES: name,
  }
  const script = files.length === 1 ? [...files] : [BATCH, String(number)]
  const args = [`NODE_OPTIONS=${env.NODE_OPTIONS ?? ''}`, process.execPath, ...script]
  const spawned = { env, cwd: ROOT, timeout: PROCESS_TIMEOUT_MS + files.length * MORE_FOR_A_FILE_MS, buffered: true }
  // by way of env: tap would put a loader that measures coverage into NODE_OPTIONS, for the servers of tests, too
  const running = t.spawn('env', args, spawned, name)
  const results = await running
  const [first = '', ...others] = files
  const took = seconds(results?.time ?? 0)
  if (results?.ok !== true) console.log(`FAILED ${files.join('\n    or ')} ${took}`)
  else console.log(`ok     ${first}${others.length === 0 ? '' : ` and ${others.length} more`} ${took}`)
}

async function run(files: string[]): Promise<void> {
  const startedAt = performance.now()
  t.setTimeout(0)
  t.jobs = Number(options.jobs)
  const tap = new PassThrough()
  t.pipe(tap)
  const printed = text(tap)
  await Promise.all(groupsOf(files).map(runGroup))
  t.end()
  const output = await printed
  if (options.tap !== undefined) writeFileSync(options.tap, output)
  for (const [failure] of output.matchAll(FAILURE)) console.log(failure)

  const { pass, fail, skip } = t.counts
  const skipped = skip === 0 ? '' : `, ${skip} skipped`
  const took = seconds(performance.now() - startedAt)
  console.log(`${pass} passed, ${fail} failed${skipped}, ${files.length} files in ${took}`)
  process.exitCode = t.passing() ? 0 : 1
}

await run(testFiles())
