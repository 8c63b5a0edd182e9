// What self-healing costs beside the model and the program: each attempt of a program of 200 files, over HTTP, in a
// real jail.
// usage: node bench/heal.bench.ts [FILES] [ATTEMPTS] [project]; with the last the program is one of a project's commit
// instead of sent files
// The model is scripted and answers at once from loopback: its few milliseconds count as ours. The program's time is
// that of its runs.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startModelServer } from '../test/fakes/model-server.ts'
import { createGitRepository } from '../test/helpers/git-repository.ts'
import { startServerProcess } from '../test/helpers/server-process.ts'
import { quantiles } from './measure.ts'

const [files = 200, attempts = 10] = process.argv.slice(2, 4).map(Number)
const isProject = process.argv[4] === 'project'
const ROUNDS = 5
const BAR_MS = 150
const LINES = 60

/** Files that import each other, and a program that fails in one of them at each attempt in another way. */
function program(): Record<string, string> {
  const modules = Array.from(
    { length: files - 2 },
    (_, i) =>
      [
        `pkg/m${i}.py`,
        Array.from({ length: LINES }, (_, line) => `def f${line}(x):\n    return x + ${line}\n`).join('\n'),
      ] as const,
  )
  return {
    'run.sh': 'python3 -S main.py\n',
    'main.py': 'import sys\n\ndef check(step):\n    raise ValueError(f"step {step}")\n\ncheck(0)\n',
    ...Object.fromEntries(modules),
  }
}

const change = (step: number) => ({
  text: `--- a/main.py\n+++ b/main.py\n@@ -5,2 +5,2 @@\n \n-check(${step})\n+check(${step + 1})\n`,
})

const root = await mkdtemp('/var/tmp/faultline-heal-')

async function cloned(url: string): Promise<string> {
  const { dir } = createGitRepository(join(root, 'repos', 'program.git'), { files: program() })
  const res = await fetch(`${url}/clone?wait=60`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ url: dir }),
  })
  const { status, project_name: name } = (await res.json()) as { status: string; project_name: string }
  if (status !== 'succeeded') throw new Error(`the clone ${status}`)
  return name
}

await chmod(root, 0o711) // another account runs the programs
try {
  await using model = await startModelServer({
    chat: Array.from({ length: ROUNDS }, () => Array.from({ length: attempts - 1 }, (_, step) => change(step))).flat(),
  })
  const server = await startServerProcess(root, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' })
  const perAttempt: number[] = []
  try {
    const source = isProject ? { project_name: await cloned(server.url) } : { files: program() }
    for (let round = 0; round < ROUNDS; round++) {
      const post = await fetch(`${server.url}/self-heal`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ prompt: 'Count', ...source, max_attempts: attempts }),
      })
      if (!post.ok) throw new Error(await post.text())
      const { id } = (await post.json()) as { id: string }
      let job = (await (await fetch(`${server.url}/jobs/${id}?wait=60`)).json()) as {
        status: string
        result: { attempts: Array<{ duration_ms: number }> } | null
      }
      while (job.result === null) {
        if (job.status === 'failed') throw new Error(JSON.stringify(job))
        await wait(5)
        job = (await (await fetch(`${server.url}/jobs/${id}?wait=60`)).json()) as typeof job
      }
      const events = (
        (await (await fetch(`${server.url}/jobs/${id}/events`)).json()) as {
          data: Array<{ at: string; event: string }>
        }
      ).data
      const took =
        Date.parse(events.at(-1)?.at ?? '') - Date.parse(events.find(({ event }) => event === 'status')?.at ?? '')
      const running = job.result.attempts.reduce((sum, { duration_ms: ms }) => sum + ms, 0)
      perAttempt.push((took - running) / job.result.attempts.length)
      console.log(
        `round ${round + 1}: ${job.result.attempts.length} attempts in ${took} ms; program ${running} ms; ` +
          `outside ${perAttempt.at(-1)?.toFixed(1)} ms an attempt`,
      )
    }
  } finally {
    await server.end('SIGTERM')
  }
  const median = quantiles(perAttempt).p50
  console.log(
    `${files} files${isProject ? ' of a project' : ''}: ${median.toFixed(1)} ms an attempt outside of the ` +
      `program (median of ${ROUNDS}); bar ${BAR_MS}: ${(median / BAR_MS).toFixed(2)} of it`,
  )
} finally {
  await rm(root, { recursive: true, force: true })
}
