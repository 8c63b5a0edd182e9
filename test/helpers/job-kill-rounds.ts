import { randomUUID } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isTerminal, type JobEvent, type JobStatus } from '../../src/core/job.ts'
import { createGitRepository } from './git-repository.ts'
import { api, type KillRound } from './kill-rounds.ts'
import { eventually } from './processes.ts'
import { randomFrom } from './random-from.ts'
import { orphans, startServerProcess, type ServerProcess } from './server-process.ts'

interface JobView {
  id: string
  type: string
  status: JobStatus
  error: unknown
  result: unknown
  request: { kind: string; spent?: { tokens: number } } | null
}

const ENTRY = fileURLToPath(new URL('./job-server.ts', import.meta.url))
const SCRIPTED = ['generate', 'improve', 'task', 'generate', 'improve', 'task', 'generate'] as const
const LIMIT_MS = 60_000
/** About as long as the jobs of a round take, on a busy machine. */
const LONGEST_MS = 1_500
const REPLIES = { clarification: { answer: 'green' }, confirm_run: { decision: 'approve' } } as const
const RESULTS: Record<string, unknown> = {
  generate: { reply: { answer: 'green' }, exit_code: 0, decision: { decision: 'approve' } },
  improve: { calls: 4 },
  task: { sum: 66 },
}

const jobOf = (server: ServerProcess, id: string) => api<JobView>(server, 'GET', `/jobs/${id}`)

const FILES = 40
const PROJECT = 'cloned'
const TRACE =
  'Traceback (most recent call last):\n  File "/app/src/module_7.py", line 2, in function_7\n' +
  "    return value + missing\nNameError: name 'missing' is not defined"

const modules = (round: number) =>
  Object.fromEntries(
    Array.from({ length: FILES }, (_, i) => [
      `src/module_${i}.py`,
      `def function_${i}(value):\n    return value + ${round}\n`.repeat(60),
    ]),
  )

/** The jobs of a round; asked for twice, with the keys of the first time, they are the same ones. */
function jobsOf(round: number, url: string) {
  const keys = Array.from({ length: SCRIPTED.length + 2 }, () => ({ 'idempotency-key': randomUUID() }))
  return (server: ServerProcess): Array<Promise<string>> =>
    [
      ...SCRIPTED.map((type, index) => ({
        path: '/test-jobs',
        body: {
          type,
          input: { project_name: `p${index % 3}`, ...(type === 'improve' ? { budget: { tokens: 100 } } : {}) },
        },
      })),
      // every fourth is a first clone
      { path: '/clone', body: { url, project_name: round % 4 === 0 ? `first-${round}` : PROJECT } },
      { path: '/resolve', body: { stacktrace: TRACE, project_name: PROJECT } },
    ].map(async ({ path, body }, index) => {
      const headers = { prefer: 'respond-async', ...keys[index] }
      return (await api<{ id: string }>(server, 'POST', path, body, headers)).id
    })
}

/** Types and states of the jobs after the first `known` ones, as the store of a killed server has them. */
function statesIn(dataDir: string, known: number): string[] {
  using db = new DatabaseSync(join(dataDir, 'jobs.sqlite'))
  const rows = db.prepare('SELECT type, status FROM jobs ORDER BY seq LIMIT -1 OFFSET ?').all(known)
  return rows.map(({ type, status }) => `${type} ${status}`).sort()
}

/** A database in place of the file of the server. */
interface RoundsDatabase {
  url: string
  /** As `statesIn`. */
  states: (known: number) => Promise<string[]>
}

/** What is wrong with the result of a job, which is not that of a test's own pipeline for a clone and a resolution. */
function wrongResult({ type, result }: JobView, commit: string): boolean {
  if (type === 'clone') {
    const { commit: indexed, files_indexed: files } = result as { commit?: string; files_indexed?: number }
    return indexed !== commit || files !== FILES
  }
  if (type === 'resolve') {
    return (result as Array<{ frames: Array<{ path: string }> }>)[0]?.frames[0]?.path !== 'src/module_7.py'
  }
  return JSON.stringify(result) !== JSON.stringify(RESULTS[type])
}

function replyTo({ kind, spent = { tokens: 0 } }: NonNullable<JobView['request']>): object {
  if (kind === 'budget') return { budget: { tokens: spent.tokens + 100 } }
  return REPLIES[kind as keyof typeof REPLIES]
}

/** Replies to what the open jobs ask, and strikes those that have ended, until `isOver` or the time is over. */
async function answer(server: ServerProcess, open: Set<string>, isOver: () => boolean): Promise<boolean> {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end && !isOver();) {
    const { data } = await api<{ data: JobView[] }>(server, 'GET', '/jobs?limit=20') // those of the round among them
    for (const { id, status, request } of data.filter(job => open.has(job.id))) {
      if (isTerminal(status)) open.delete(id)
      if (request !== null) await api(server, 'POST', `/jobs/${id}/reply`, replyTo(request))
    }
    await wait(5)
  }
  return open.size === 0
}

interface Killed {
  /** How often each step began, by job and name. */
  starts: ReadonlyMap<string, number>
  /** What had finished by then must have begun once, anything else at most twice. */
  killedAt: string
  commit: string
}

/** What is wrong with how a job's steps and its end were recorded. */
function problemsOfEvents({ id, type }: JobView, events: readonly JobEvent[], { starts, killedAt }: Killed): string[] {
  const problems: string[] = []
  if (events.some((event, index) => event.id !== index + 1)) problems.push('its events are not numbered one by one')
  if (events.filter(({ event }) => event === 'done').length !== 1 || events.at(-1)?.event !== 'done') {
    problems.push('it is not done exactly once, last')
  }
  const finished = events.filter(({ event, data }) => event === 'step' && data.finished === true)
  const names = finished.map(({ data }) => String(data.step))
  if (new Set(names).size !== names.length) problems.push(`a step finished twice: ${names.join()}`)
  for (const { at, data } of type in RESULTS ? finished : []) {
    // the steps of a real pipeline leave no line
    const began = starts.get(`${id} ${String(data.step)}`) ?? 0
    if (began < 1 || began > (at < killedAt ? 1 : 2)) {
      problems.push(`${String(data.step)} began ${began} times, finished ${at}, killed ${killedAt}`)
    }
  }
  return problems
}

/** What is wrong with an ended job. */
async function problemsOf(server: ServerProcess, id: string, killed: Killed): Promise<string[]> {
  const job = await jobOf(server, id)
  const { data: events } = await api<{ data: JobEvent[] }>(server, 'GET', `/jobs/${id}/events`)
  const problems = problemsOfEvents(job, events, killed)
  if (job.status !== 'succeeded' || wrongResult(job, killed.commit)) {
    problems.push(`${job.type} ${job.status}: ${JSON.stringify(job.error ?? job.result)}`)
  }
  if (job.type === 'generate') {
    const { data: files } = await api<{ data: Array<{ path: string }> }>(server, 'GET', `/jobs/${id}/files`)
    const text = await (await fetch(`${server.url}/jobs/${id}/files/a.txt`)).text()
    if (files.some(({ path }) => path === 'b.txt') || text !== `final of ${id}`) {
      problems.push(`its files are ${JSON.stringify(files)}, ${text}`)
    }
  }
  return problems
}

/** How often each step began, by job and name. */
function startsIn(file: string): Map<string, number> {
  const starts = new Map<string, number>()
  for (const line of readFileSync(file, 'utf8').split('\n')) starts.set(line, (starts.get(line) ?? 0) + 1)
  return starts
}

function leftBehind(workspaces: string): string[] {
  const names = readdirSync(workspaces).filter(name => !name.startsWith('.'))
  return names.flatMap(id => [
    ...readdirSync(join(workspaces, id))
      .filter(name => name !== 'files')
      .map(name => `${id}/${name}`),
    ...readdirSync(join(workspaces, id), { recursive: true })
      .map(String)
      .filter(name => name.endsWith('.tmp')),
  ])
}

async function countJobs(server: ServerProcess): Promise<number> {
  let count = 0
  for (let cursor = '', more = true; more;) {
    const page = await api<{ data: unknown[]; next_cursor: string | null }>(server, 'GET', `/jobs?limit=200${cursor}`)
    count += page.data.length
    more = page.next_cursor !== null
    cursor = `&cursor=${page.next_cursor}`
  }
  return count
}

/**
 * Kills a server with SIGKILL at random moments of jobs that wait for people, keep files, run out of budget, run
 * programs, clone and resolve, and starts it again, `rounds` times. A round has a problem when a job is lost, doubled,
 * stuck or wrong, a finished step was repeated, or a process or a workspace is left.
 */
export async function* jobKillRounds(
  root: string,
  { rounds, seed, database }: { rounds: number; seed: number; database?: RoundsDatabase },
): AsyncGenerator<KillRound> {
  chmodSync(root, 0o711) // the account of the jail has to reach the workspaces
  const random = randomFrom(seed)
  const workspaces = join(root, 'workspaces')
  const tables: Record<string, string> = database === undefined ? {} : { DATABASE_URL: database.url }
  const env = { WORKSPACES_DIR: workspaces, JOBS_CONCURRENCY: '4', ...tables }
  const start = () => startServerProcess(root, env, ENTRY)
  const repository = createGitRepository(join(root, 'repos', 'cloned.git'), { files: modules(0) })
  let server = await start()
  await api(server, 'POST', '/clone?wait=60', { url: repository.dir, project_name: PROJECT })
  let total = 1
  try {
    for (let round = 1; round <= rounds; round++) {
      const create = jobsOf(round, repository.dir)
      const commit = repository.commit(modules(round))
      const open = new Set<string>()
      const killed = { isOver: false }
      // a request that the kill cuts off has made its job, or not
      const acknowledged: string[] = []
      const first = create(server).map(async made => {
        const id = await made
        acknowledged.push(id)
        open.add(id)
      })
      const answering = Promise.any(first).then(() => answer(server, open, () => killed.isOver))
      const cutOff = Promise.allSettled([...first, answering])
      // each round in a part of its own of the time that the jobs take, so that few rounds see all of it, too
      await wait((((round * 7) % rounds) + random()) * (LONGEST_MS / rounds))
      const killedAt = new Date().toISOString()
      killed.isOver = true
      await server.end('SIGKILL')
      await cutOff
      const killedDuring = (await database?.states(total)) ?? statesIn(join(root, 'data'), total)

      const restartedAt = performance.now()
      server = await start()
      const ids = await Promise.all(create(server))
      total += ids.length
      const problems = acknowledged.every(id => ids.includes(id)) ? [] : ['the same keys gave other jobs']
      const unended = new Set(ids)
      if (!(await answer(server, unended, () => unended.size === 0))) problems.push('a job is stuck')
      const recoveredMs = performance.now() - restartedAt
      const starts = startsIn(join(root, 'data', 'effects.log'))
      for (const id of ids) {
        problems.push(
          ...(await problemsOf(server, id, { starts, killedAt, commit })).map(problem => `${id}: ${problem}`),
        )
      }
      const known = await countJobs(server)
      if (known !== total) problems.push(`${known} jobs after ${total} were made`)
      if (!(await eventually(() => leftBehind(workspaces).length === 0))) {
        problems.push(`left: ${leftBehind(workspaces).join()}`)
      }
      if (!(await eventually(() => orphans(root, server.child.pid ?? 0).length === 0))) {
        problems.push(`still running: ${orphans(root, server.child.pid ?? 0).join(' | ')}`)
      }
      yield { killedDuring, problems, recoveredMs }
    }
  } finally {
    await server.end('SIGKILL')
  }
}
