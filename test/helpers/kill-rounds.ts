import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { eventually } from './processes.ts'
import { createGitRepository } from './git-repository.ts'
import { patient } from './patient-fetch.ts'
import { INLINE_SERVER, orphans, startServerProcess, type ServerProcess } from './server-process.ts'
import { randomFrom } from './random-from.ts'

export interface KillRound {
  /** What was under way when the server was killed, by job. */
  killedDuring: string[]
  problems: string[]
  /** From the restart to the end of the job. */
  recoveredMs: number
}

interface JobView {
  id: string
  status: string
  error: unknown
  progress: { step: string } | null
  result: { commit: string; files_indexed: number } | null
}

const FILES = 200

export async function api<T>(
  server: ServerProcess,
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<T> {
  const send = () =>
    fetch(server.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
    })
  const res = await patient(send)
  if (!res.ok) throw new Error(`${method} ${path}: ${res.status} ${await res.text()}`)
  return (await res.json()) as T
}

/** Resolves when the job has begun to index, or has ended. */
async function indexing(server: ServerProcess, id: string): Promise<void> {
  const res = await fetch(`${server.url}/jobs/${id}/events`, { headers: { accept: 'text/event-stream' } })
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of res.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.includes('"step":"index"')) return
  }
}

function leftovers(root: string): string[] {
  const names = [join(root, 'vector_store'), join(root, 'cloned_repos')].flatMap(dir =>
    readdirSync(dir, { recursive: true, withFileTypes: true }).map(entry => join(entry.parentPath, entry.name)),
  )
  return names.filter(name => /\.tmp(?:$|[-./])|\.trash-|\.lock$/.test(name))
}

/** The job once it has ended, or after two minutes. */
async function ended(server: ServerProcess, id: string): Promise<JobView> {
  const job = await api<JobView>(server, 'GET', `/jobs/${id}?wait=60`)
  const isOpen = job.status === 'running' || job.status === 'queued'
  return isOpen ? await api<JobView>(server, 'GET', `/jobs/${id}?wait=60`) : job
}

interface ProjectView {
  index_state: string
  files_indexed: number
  repositories: Array<{ commit: string; history: string }>
}

/** What is wrong with a project that was cloned at a commit. */
async function problemsOfProject(server: ServerProcess, name: string, commit: string): Promise<string[]> {
  const read = () => api<ProjectView>(server, 'GET', `/projects/${name}`)
  const problems: string[] = []
  const project = await read()
  if (
    project.index_state !== 'ready' ||
    project.files_indexed !== FILES ||
    project.repositories[0]?.commit !== commit
  ) {
    problems.push(`store: ${JSON.stringify(project)}`)
  }
  // while it comes, git has its lock files
  if (!(await eventually(async () => (await read()).repositories[0]?.history === 'full'))) {
    problems.push('the history does not come')
  }
  const found = await api<{ data: unknown[] }>(server, 'GET', `/projects/${name}/search?q=function_7`)
  if (found.data.length === 0) problems.push('the search finds nothing')
  return problems
}

/** What a server that was killed left on the disk or running. */
function problemsOfRests(root: string, server: ServerProcess): string[] {
  const rests = leftovers(root)
  const left = orphans(root, server.child.pid ?? 0)
  return [
    ...(rests.length > 0 ? [`left over: ${rests.join(', ')}`] : []),
    ...(left.length > 0 ? [`still running: ${left.join(' | ')}`] : []),
  ]
}

const module = (i: number, round: number) => `def function_${i}(value):\n    return value + ${round}\n`.repeat(60)
const modules = (round: number) =>
  Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`src/module_${i}.py`, module(i, round)]))

/**
 * Kills a server with SIGKILL at random moments of clone jobs and starts it again, `rounds` times, each time with a new
 * commit to fetch. A round has a problem when the job does not succeed, the store is not whole or not of the new
 * commit, or anything is left over.
 */
export async function* killRounds(
  root: string,
  { rounds, seed }: { rounds: number; seed: number },
): AsyncGenerator<KillRound> {
  const random = randomFrom(seed)
  const start = () => startServerProcess(root, {}, INLINE_SERVER)
  const repository = createGitRepository(join(root, 'repos', 'big.git'), { files: modules(0) })
  let server = await start()
  let longestMs = 900 // a first guess of how long a job takes
  try {
    for (let round = 1; round <= rounds; round++) {
      const commit = repository.commit(modules(round))
      const projectName = round % 4 === 0 ? `first-${round}` : 'big' // every fourth is a first clone
      const { id } = await api<JobView>(server, 'POST', '/clone', { url: repository.dir, project_name: projectName })
      const inIndex = random() < 0.5 // indexing is the shorter part, and the one with more to break
      if (inIndex) await indexing(server, id)
      await setTimeout(random() * (inIndex ? 300 : longestMs))
      const before = await api<JobView>(server, 'GET', `/jobs/${id}`)
      await server.end('SIGKILL')

      const restartedAt = performance.now()
      server = await start()
      const job = await ended(server, id)
      const recoveredMs = performance.now() - restartedAt
      longestMs = Math.max(400, Math.min(longestMs, recoveredMs))

      const problems: string[] = []
      if (job.status !== 'succeeded') problems.push(`job ${job.status}: ${JSON.stringify(job.error)}`)
      if (job.result?.commit !== commit) problems.push(`indexed ${job.result?.commit}, not ${commit}`)
      problems.push(...(await problemsOfProject(server, projectName, commit)))
      const jobs = await api<{ data: unknown[] }>(server, 'GET', '/jobs?limit=200')
      if (jobs.data.length !== round) problems.push(`${jobs.data.length} jobs after ${round} rounds`)
      problems.push(...problemsOfRests(root, server))
      const step = before.progress?.step ?? 'start'
      yield { killedDuring: [before.status === 'running' ? step : before.status], problems, recoveredMs }
    }
  } finally {
    await server.end('SIGKILL')
  }
}
