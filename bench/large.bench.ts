// A repository of 100,000 files, made up: whether it can be cloned, indexed and asked within 2 GiB, and how long that
// takes.
// usage: node bench/large.bench.ts [FILES] [--keep FOLDER]   (FOLDER keeps the made repository for the next run)
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startBenchServer, type Job } from './bench-server.ts'
import { changeFiles, generateRepository, pathOf, textOf } from './generated-repository.ts'
import { highWaterOf, megabytes, timed, usageOf, watchMemory } from './measure.ts'

const BAR_MB = 2_147
const CHANGED_FILES = 20
const PROGRESS_EVERY_MS = 10_000

const {
  values,
  positionals: [count = '100000'],
} = parseArgs({ options: { keep: { type: 'string' } }, allowPositionals: true })
const files = Number(count)
const folder = values.keep
const server = await startBenchServer(folder === undefined ? [] : [folder])
const whole = watchMemory(server.pid)
const dir = join(folder ?? join(server.root, 'repos'), `large-${files}.git`)
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`

interface Answer {
  index_state: string
  frames: Array<{ path: string | null; code_line: number | null }>
  context_tokens: number
}

/** A trace through one file, at its first function. */
async function resolve(index: number, revision: number): Promise<void> {
  const lines = textOf(index, revision).split('\n')
  const line = lines.findIndex(text => text.startsWith('def ')) + 3
  const stacktrace =
    `Traceback (most recent call last):\n  File "/srv/app/${pathOf(index)}", line ${line}, in handle\n    ` +
    `${lines[line - 1]?.trim()}\nValueError: nothing is there`
  const {
    value: { frames, context_tokens: tokens, index_state: state },
    ms,
  } = await timed(() => server.call<Answer>('POST', '/resolve', { project_name: 'large', stacktrace, mode: 'context' }))
  console.log(
    `  resolve: ${ms.toFixed(0)} ms, ${state}, ` +
      `${frames[0]?.path === pathOf(index) ? 'frame mapped' : 'FRAME NOT MAPPED'}, ${tokens} tokens`,
  )
}

/** A clone job with what it reports now and then, its memory and its time. */
async function clone(what: string): Promise<void> {
  const memory = watchMemory(server.pid)
  const before = usageOf(server.pid).cpuMs
  const startedAt = performance.now()
  let shownAt = -Infinity
  const show = async ({ progress }: Job) => {
    if (performance.now() - shownAt < PROGRESS_EVERY_MS) return
    shownAt = performance.now()
    console.log(
      `  ${seconds(shownAt - startedAt)}: ${progress?.message ?? 'waiting'}; ` +
        `${megabytes(usageOf(server.pid).rssBytes)} MB`,
    )
  }
  const {
    result: {
      files_indexed: indexed,
      files_skipped: skipped,
      chunks_total: chunks,
      chunks_added: added,
      timings_ms: timings,
    },
  } = await server.clone(dir, 'large', show)
  const { own, tree } = memory.peak()
  console.log(
    `${what}: ${seconds(performance.now() - startedAt)}, processor ` +
      `${seconds(usageOf(server.pid).cpuMs - before)}; ${indexed} files, skipped ${JSON.stringify(skipped)}, ` +
      `${chunks} chunks, ${added} of them new`,
  )
  console.log(
    `  phases: ${Object.entries(timings)
      .map(([phase, ms]) => `${phase} ${seconds(ms)}`)
      .join(', ')}`,
  )
  console.log(`  peak memory: ${megabytes(own)} MB, with git's processes ${megabytes(tree)} MB (bar ${BAR_MB})`)
}

try {
  if (!existsSync(dir)) console.log(`made in ${seconds((await timed(() => generateRepository(dir, files))).ms)}`)
  await clone('clone')
  await resolve(5, 0)
  await Promise.all([10, 15, 20].map(index => resolve(index, 0))) // whatever threads there are, each is asked
  const revision = Math.floor(Date.now() / 1_000) // a kept repository goes on
  await changeFiles(
    dir,
    Array.from({ length: CHANGED_FILES }, (_, i) => i * 5),
    revision,
  )
  await clone('one more commit')
  await resolve(5, revision)
  await Promise.all([10, 15, 21].map(index => resolve(index, index % 5 === 0 ? revision : 0)))
  await clone('nothing new')
  const { own, tree } = whole.peak()
  console.log(
    `from start to end: at most ${megabytes(own)} MB, with git's processes ${megabytes(tree)} MB; the most that ` +
      `the server ever had is ${megabytes(highWaterOf(server.pid))} MB (bar ${BAR_MB})`,
  )
} finally {
  await server.end()
}
