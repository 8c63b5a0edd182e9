// What is proved of fixes of real projects: each is cloned with a bug put back in, and fixed by scripted replies.
// usage: node bench/proved-fixes.bench.ts SUBJECTS.jsonl --clones DIR [--only ID]... [--private-registry]
// A line of SUBJECTS has { id, repo, commit, breaks, trace, checks, fix, symptom }: a repository below DIR, the commit
// that works, a patch that breaks it, the trace of that, the project's checks (null for none), and two replies of a
// model: one that mends the cause, and one that hides it. Each is fixed three times: by the first (verified), by the
// second (not verified), and by the first where nothing can be installed (could_not_run). With --private-registry the
// machine's registry may have an address that is not public.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startModelServer } from '../test/fakes/model-server.ts'
import { startServerProcess } from '../test/helpers/server-process.ts'

interface Subject {
  id: string
  repo: string
  commit: string
  breaks: string
  trace: string
  checks: Record<string, string | null>
  fix: string
  symptom: string
}

interface Fixed {
  verification: string
  verification_reason: string | null
  tests: { fixed: string[]; broken: string[]; flaky: string[] }
  runs: Array<{ kind: string; command: string; before: number | null; after: number | null }>
  guards?: Array<{ path: string; line: number; kind: string }>
}

interface Job<Result> {
  id: string
  status: string
  result: Result | null
  error: { code: string; message: string } | null
}

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    clones: { type: 'string', default: '.' },
    only: { type: 'string', multiple: true, default: [] },
    'private-registry': { type: 'boolean', default: false },
  },
})
const [list] = positionals
if (list === undefined) {
  console.error(
    'usage: node bench/proved-fixes.bench.ts SUBJECTS.jsonl --clones DIR [--only ID]... [--private-registry]',
  )
  process.exit(2)
}
const isWanted = ({ id }: Subject): boolean => options.only.length === 0 || options.only.includes(id)
const subjects = readFileSync(list, 'utf8')
  .split('\n')
  .filter(line => line !== '')
  .map(line => JSON.parse(line) as Subject)
  .filter(isWanted)

const WITHOUT_INSTALL = 'echo "the registry is away" >&2; exit 1'
const IDENTITY = ['-c', 'user.name=bench', '-c', 'user.email=bench@example.com']

const root = mkdtempSync('/var/tmp/faultline-fixes-')
chmodSync(root, 0o711) // another account runs the programs

/** A repository of which the bug is the last commit. */
function broken({ id, repo, commit, breaks }: Subject): string {
  const dir = join(root, 'repos', id)
  const git = (args: readonly string[], input?: string): string =>
    execFileSync('git', [...args], { cwd: dir, encoding: 'utf8', input })
  mkdirSync(join(root, 'repos'), { recursive: true })
  execFileSync('git', ['clone', '-q', '--no-hardlinks', resolve(options.clones, repo), dir])
  git(['checkout', '-q', '-B', 'main', commit])
  git(['apply', '--index', '-'], breaks)
  git([...IDENTITY, 'commit', '-q', '--no-verify', '-m', 'Break it'])
  return dir
}

async function call<T>(url: string, method: string, body?: object): Promise<T> {
  const answer = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${text}`)
  return JSON.parse(text) as T
}

async function done<Result>(server: string, job: Job<Result>): Promise<Job<Result>> {
  let now = job
  while (now.status === 'queued' || now.status === 'running') {
    now = await call<Job<Result>>(`${server}/jobs/${job.id}?wait=60`, 'GET')
  }
  return now
}

const shortOf = (ids: readonly string[]): string =>
  ids.length > 2 ? `${ids.slice(0, 2).join(', ')} and ${ids.length - 2} more` : ids.join(', ')

function show(what: string, { status, error, result }: Job<Fixed>, seconds: number): void {
  if (result === null) {
    console.log(`  ${what}: ${status} ${error?.code ?? ''} ${error?.message.slice(0, 300) ?? ''}`)
    return
  }
  const { verification, verification_reason: reason, tests, runs, guards = [] } = result
  console.log(`  ${what}: ${verification} in ${seconds.toFixed(1)} s${reason === null ? '' : `. ${reason}`}`)
  for (const { kind, command, before, after } of runs) console.log(`    ${kind} ${before} → ${after}: ${command}`)
  for (const [state, ids] of Object.entries(tests)) if (ids.length > 0) console.log(`    ${state}: ${shortOf(ids)}`)
  for (const { kind, path, line } of guards) console.log(`    ${kind} at ${path}:${line}`)
}

await using model = await startModelServer({ chat: [] })
const server = await startServerProcess(root, {
  LLM_BASE_URL: model.baseUrl,
  LLM_MODEL: 'scripted',
  ALLOW_LOCAL_REPOS: join(root, 'repos'),
  ...(options['private-registry'] ? { ALLOW_PRIVATE_HOSTS: 'true' } : {}),
})
try {
  for (const subject of subjects) {
    const { id, trace, checks, fix, symptom } = subject
    console.log(id)
    const clone = await call<Job<object>>(`${server.url}/clone`, 'POST', { url: broken(subject), project_name: id })
    const { status, error } = await done(server.url, clone)
    if (status !== 'succeeded') throw new Error(JSON.stringify(error))
    const own = Object.fromEntries(Object.entries(checks).filter(([, command]) => command !== null))
    const tries = [
      ['the cause mended', fix, own],
      ['the symptom hidden', symptom, own],
      ['nothing installed', fix, { ...own, install: WITHOUT_INSTALL }],
    ] as const
    for (const [what, text, given] of tries) {
      await call(`${server.url}/projects/${id}`, 'PATCH', { checks: given })
      model.push({ text })
      const startedAt = performance.now()
      const body = { stacktrace: trace, project_name: id, review: 'auto', allow_paths: ['**'] }
      const job = await done(server.url, await call<Job<Fixed>>(`${server.url}/fix`, 'POST', body))
      show(what, job, (performance.now() - startedAt) / 1000)
    }
  }
} finally {
  await server.end('SIGTERM')
  rmSync(root, { recursive: true, force: true })
}
