// What an attempt at a task costs beside the model and the checks, on a repository of 2,000 files: fetching the default
// branch, choosing and reading the context, applying, committing, and the rows of the task. usage: node
// bench/task.bench.ts [FILES] [ATTEMPTS]
// The model is scripted and answers at once from loopback. Each round is a task whose reviewer rejects all attempts but
// the last; what its calls took is taken off. In the second half the remote moves on before each task, so that the
// index is brought up to date, too.
import { join } from 'node:path'
import { startModelServer, type Reply } from '../test/fakes/model-server.ts'
import { createGitRepository } from '../test/helpers/git-repository.ts'
import { startBenchServer } from './bench-server.ts'
import { quantiles, showQuantiles } from './measure.ts'

const [files = 2_000, attempts = 3] = process.argv.slice(2).map(Number)
const ROUNDS = 8
const BAR_MS = 500
const LINES = 40

interface Task {
  logs: Array<{ duration_ms: number | null }>
}

/** Modules that import each other. */
const repositoryFiles = (): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: files }, (_, i) => [
      `src/part${i % 40}/module${i}.js`,
      `import { f0 } from '../part${(i + 1) % 40}/module${(i + 1) % files}.js'\n` +
        Array.from({ length: LINES }, (_, line) => `export const f${line} = x => f0(x) + ${line} * ${i}\n`).join(''),
    ]),
  )

const coded = (round: number, number: number): Reply => ({
  text: JSON.stringify({
    thinking: 'A file more.',
    files: [{ path: `src/made/round${round}.js`, action: 'create', content: `export const made = ${number}\n` }],
    commitMessage: `feat: round ${round}`,
  }),
})
const reviewed = (isLast: boolean): Reply => ({
  text: JSON.stringify({
    decision: isLast ? 'approve' : 'reject',
    issues: isLast ? [] : [{ severity: 'critical', file: null, line: null, message: 'Not yet.' }],
    summary: 'Read.',
  }),
})

await using model = await startModelServer()
const server = await startBenchServer([], { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' })
try {
  const repository = createGitRepository(join(server.root, 'repos', 'big.git'), { files: repositoryFiles() })
  await server.clone(repository.dir, 'big')

  /** Milliseconds of a task's attempts beside the model and the checks, of each on average. */
  async function round(number: number): Promise<number> {
    for (let one = 1; one <= attempts; one++) model.push(coded(number, one), reviewed(one === attempts))
    const description = `Make module${number} of part${number % 40} give ${number} more`
    const started = performance.now()
    const { id } = await server.call<{ id: string }>('POST', '/tasks', {
      description,
      project_name: 'big',
      max_attempts: attempts,
    })
    const job = await server.call<{ status: string; result: { task_number: number } }>('GET', `/jobs/${id}?wait=60`)
    const took = performance.now() - started
    if (job.status !== 'succeeded') throw new Error(JSON.stringify(job))
    const { logs } = await server.call<Task>('GET', `/tasks/${job.result.task_number}`)
    const away = logs.reduce((sum, { duration_ms: ms }) => sum + (ms ?? 0), 0)
    return (took - away) / attempts
  }

  await round(0)
  const still: number[] = []
  for (let number = 1; number <= ROUNDS; number++) still.push(await round(number))
  console.log(`an attempt beside model and checks (${files} files) ${showQuantiles(quantiles(still))}`)
  const moving: number[] = []
  for (let number = 1; number <= ROUNDS; number++) {
    repository.commit({ 'src/part0/module0.js': `export const f0 = x => x + ${number}\n` })
    moving.push(await round(ROUNDS + number))
  }
  console.log(`the same, when the default branch has moved     ${showQuantiles(quantiles(moving))}`)
  const { p50 } = quantiles(still)
  console.log(`bar: below ${BAR_MS} ms: ${p50.toFixed(0)} ms, ${(p50 / BAR_MS).toFixed(2)} of it`)
  if (p50 >= BAR_MS) process.exitCode = 1
} finally {
  await server.end()
}
