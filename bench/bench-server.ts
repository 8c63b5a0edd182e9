// A real server in a process of its own, and a repository that moves on, for benches that measure what a user waits
// for.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { startServerProcess } from '../test/helpers/server-process.ts'

export interface Job {
  id: string
  status: string
  error: unknown
  progress: { message: string } | null
  result: {
    timings_ms: Record<string, number>
    files_indexed: number
    files_skipped: Record<string, number>
    chunks_added: number
    chunks_removed: number
    chunks_total: number
  }
}

export interface BenchServer {
  url: string
  pid: number
  /** Holds all that the bench writes; its `repos` may be cloned from. */
  root: string
  call<T>(method: string, path: string, body?: object): Promise<T>
  /** Asks for a clone and waits for the job; `onPoll` is called with each look at it. */
  clone(url: string, projectName: string, onPoll?: (job: Job) => Promise<void>): Promise<Job>
  end(): Promise<void>
}

const POLL_MS = 10

/**
 * @param sources - Repositories outside of `root` that are cloned, or borrowed from.
 * @param flags - Options of Node.
 */
export async function startBenchServer(
  sources: readonly string[],
  env: Record<string, string> = {},
  flags: readonly string[] = [],
): Promise<BenchServer> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-bench-')))
  mkdirSync(join(root, 'repos'))
  const allowed = [join(root, 'repos'), ...sources.map(source => realpathSync(resolve(source)))]
  const server = await startServerProcess(root, { ALLOW_LOCAL_REPOS: allowed.join(','), ...env }, undefined, { flags })

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const res = await fetch(server.url + path, {
      method,
      ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    const text = await res.text()
    if (!res.ok) throw new Error(`${method} ${path}: ${res.status} ${text}`)
    return JSON.parse(text) as T
  }

  return {
    url: server.url,
    pid: server.child.pid ?? 0,
    root,
    call,
    async clone(url, projectName, onPoll) {
      let job = await call<Job>('POST', `/clone?wait=${onPoll === undefined ? 60 : 0}`, {
        url,
        project_name: projectName,
      })
      while (job.status === 'queued' || job.status === 'running') {
        await onPoll?.(job)
        await new Promise(resolve => setTimeout(resolve, POLL_MS))
        job = await call<Job>('GET', `/jobs/${job.id}`)
      }
      if (job.status !== 'succeeded') throw new Error(JSON.stringify(job.error))
      return job
    },
    async end() {
      await server.end('SIGTERM')
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/**
 * A repository that borrows all objects of another one, with a branch `main` that can be moved to any of its commits.
 */
export function createMovingRepository(
  dir: string,
  source: string,
): { dir: string; commits(count: number): string[]; moveTo(commit: string): void } {
  const git = (...args: string[]) => execFileSync('git', ['--git-dir', dir, ...args], { encoding: 'utf8' }).trim()
  execFileSync('git', ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', dir])
  mkdirSync(join(dir, 'objects/info'), { recursive: true })
  writeFileSync(join(dir, 'objects/info/alternates'), `${join(realpathSync(resolve(source)), 'objects')}\n`)
  const head = execFileSync('git', ['--git-dir', source, 'rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
  return {
    dir,
    /** The last first parents, the oldest first. */
    commits: count => git('rev-list', '--first-parent', `--max-count=${count}`, head).split('\n').reverse(),
    moveTo(commit) {
      git('update-ref', 'refs/heads/main', commit)
    },
  }
}

/** What crashed in one of the largest sources: a trace that names its path. */
export function traceIn(gitDir: string, commit: string): string {
  const entries = execFileSync('git', ['--git-dir', gitDir, 'ls-tree', '-r', '-l', commit], {
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  }).split('\n')
  const sources = entries.flatMap(entry => {
    const [, size, path] = /^100\d{3} blob \w+ +(\d+)\t(\S+\.(?:py|js|ts|rb|go|java))$/.exec(entry) ?? []
    return path === undefined || Number(size) > 200_000 ? [] : [{ path, size: Number(size) }]
  })
  const { path = 'main.py' } = sources.toSorted((a, b) => b.size - a.size)[0] ?? {}
  return (
    `Traceback (most recent call last):\n  File "/srv/app/${path}", line 120, in handle\n    result = ` +
    'self.process(request)\nValueError: cannot process an empty request'
  )
}
