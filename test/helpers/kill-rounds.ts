import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { eventually } from './processes.ts'
import { createGitRepository } from './git-repository.ts'
import { INLINE_SERVER, orphans, startServerProcess, type ServerProcess } from './server-process.ts'

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

/** A small generator of pseudo-random numbers (mulberry32), so that a failing round can be run again. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

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
  let res = await send()
  for (let again = 0; res.status === 503 && again < 20; again++) {
    // a busy machine puts requests off, above all just after a start
    await setTimeout(Number(res.headers.get('retry-after') ?? 1) * 1000)
    res = await send()
  }
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
  const module = (i: number, round: number) => `def function_${i}(value):\n    return value + ${round}\n`.repeat(60)
  const repository = createGitRepository(join(root, 'repos', 'big.git'), {
    files: Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`src/module_${i}.py`, module(i, 0)])),
  })
  let server = await startServerProcess(root, {}, INLINE_SERVER)
  let longestMs = 900 // a first guess of how long a job takes
  try {
    for (let round = 1; round <= rounds; round++) {
      const commit = repository.commit(
        Object.fromEntries(Array.from({ length: FILES }, (_, i) => [`src/module_${i}.py`, module(i, round)])),
      )
      const projectName = round % 4 === 0 ? `first-${round}` : 'big' // every fourth is a first clone
      const { id } = await api<JobView>(server, 'POST', '/clone', { url: repository.dir, project_name: projectName })
      const inIndex = random() < 0.5 // indexing is the shorter part, and the one with more to break
      if (inIndex) await indexing(server, id)
      await setTimeout(random() * (inIndex ? 300 : longestMs))
      const before = await api<JobView>(server, 'GET', `/jobs/${id}`)
      await server.end('SIGKILL')

      const restartedAt = performance.now()
      server = await startServerProcess(root, {}, INLINE_SERVER)
      const job = await api<JobView>(server, 'GET', `/jobs/${id}?wait=60`)
      const ended =
        job.status === 'running' || job.status === 'queued'
          ? await api<JobView>(server, 'GET', `/jobs/${id}?wait=60`)
          : job
      const recoveredMs = performance.now() - restartedAt
      longestMs = Math.max(400, Math.min(longestMs, recoveredMs))

      const problems: string[] = []
      if (ended.status !== 'succeeded') problems.push(`job ${ended.status}: ${JSON.stringify(ended.error)}`)
      if (ended.result?.commit !== commit) problems.push(`indexed ${ended.result?.commit}, not ${commit}`)
      const project = await api<{
        index_state: string
        files_indexed: number
        chunks_total: number
        repositories: Array<{ commit: string }>
      }>(server, 'GET', `/projects/${projectName}`)
      if (
        project.index_state !== 'ready' ||
        project.files_indexed !== FILES ||
        project.repositories[0]?.commit !== commit
      ) {
        problems.push(`store: ${JSON.stringify(project)}`)
      }
      const withHistory = async () =>
        (await api<{ repositories: Array<{ history: string }> }>(server, 'GET', `/projects/${projectName}`))
          .repositories[0]?.history === 'full'
      // and while it comes, git has its lock files
      if (!(await eventually(withHistory))) problems.push('the history does not come')
      const found = await api<{ data: unknown[] }>(server, 'GET', `/projects/${projectName}/search?q=function_7`)
      if (found.data.length === 0) problems.push('the search finds nothing')
      const jobs = await api<{ data: unknown[] }>(server, 'GET', '/jobs?limit=200')
      if (jobs.data.length !== round) problems.push(`${jobs.data.length} jobs after ${round} rounds`)
      const rests = leftovers(root)
      if (rests.length > 0) problems.push(`left over: ${rests.join(', ')}`)
      const left = orphans(root, server.child.pid ?? 0)
      if (left.length > 0) problems.push(`still running: ${left.join(' | ')}`)
      yield {
        killedDuring: [before.status === 'running' ? (before.progress?.step ?? 'start') : before.status],
        problems,
        recoveredMs,
      }
    }
  } finally {
    await server.end('SIGKILL')
  }
}
