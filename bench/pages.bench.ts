// What pages take on a server that is warm: milliseconds and kilobytes of each, beside GET /resolutions/{id} as JSON,
// and the memory of the server before the first page and after them all.
// usage: node bench/pages.bench.ts REPOSITORY.git [--rounds N]
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { ProjectAnswer } from '../src/contract/project.ts'
import type { ResolutionAnswer } from '../src/contract/resolution.ts'
import { startBenchServer } from './bench-server.ts'
import { madeTraces } from './made-traces.ts'
import { sharesOf, untilIdle } from './measure.ts'
import { sourceFiles } from './source-files.ts'
import { startCommandOf } from './start-command.ts'

const PROJECT = 'subject'
const FRAMES_OF_LONG = 60
const BARS = { ms: 100, longMs: 200, kilobytes: 150, memoryMb: 40 }
const MEGABYTE = 1_048_576

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '20' } },
})
const [repository] = positionals
if (repository === undefined) {
  console.error('usage: node bench/pages.bench.ts REPOSITORY.git [--rounds N]')
  process.exit(2)
}
const rounds = Number(values.rounds)

const medianOf = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN

/** A trace of 60 frames, made of the frames of several. */
function longTrace(traces: readonly string[]): string {
  const frames = traces.flatMap(trace => trace.match(/^ {2}File .*\n {4}.*$/gm) ?? [])
  return ['Traceback (most recent call last):', ...frames.slice(0, FRAMES_OF_LONG), 'ValueError: x'].join('\n')
}

const { env, flags } = startCommandOf(join(import.meta.dirname, '..'))
const server = await startBenchServer([repository], env, flags)
try {
  const { status, error } = await server.clone(repository, PROJECT)
  if (status !== 'succeeded') throw new Error(`the clone ${status}: ${JSON.stringify(error)}`)
  const project = await server.call<ProjectAnswer>('GET', `/projects/${PROJECT}`)
  const [{ repository: name, commit } = { repository: '', commit: '' }] = project.repositories
  const traces = madeTraces(await sourceFiles(repository, commit), 20)
  const resolve = (stacktrace: string, detail: 'full' | 'short') =>
    server.call<ResolutionAnswer>('POST', '/resolve', { stacktrace, project_name: PROJECT, mode: 'context', detail })
  const usual = await resolve(traces[0] ?? '', 'full')
  const long = await resolve(longTrace(traces), 'full')
  const path = usual.sources[0]?.path ?? ''
  const { data } = await server.call<{ data: Array<{ id: string }> }>('GET', '/jobs')

  async function timed(url: string): Promise<{ ms: number; kilobytes: number }> {
    const startedAt = performance.now()
    const answer = await fetch(`${server.url}${url}`)
    const bytes = (await answer.arrayBuffer()).byteLength
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
    return { ms: performance.now() - startedAt, kilobytes: bytes / 1024 }
  }

  const pages: Record<string, string> = {
    home: '/ui',
    'a resolution': `/ui/resolutions/${usual.id}`,
    'a resolution of 60 frames': `/ui/resolutions/${long.id}`,
    'as Markdown': `/ui/resolutions/${usual.id}/text?as=markdown`,
    jobs: '/ui/jobs',
    'a job': `/ui/jobs/${data[0]?.id ?? ''}`,
    transcript: `/ui/jobs/${data[0]?.id ?? ''}/transcript`,
    project: `/ui/projects/${PROJECT}`,
    search: `/ui/projects/${PROJECT}?q=request+context`,
    file: `/ui/projects/${PROJECT}/files/${name}/${commit}/${path}`,
    activity: '/ui/activity',
  }
  async function looked(url: string): Promise<{ first: number; ms: number; kilobytes: number }> {
    const { ms: first, kilobytes } = await timed(url)
    const all = []
    for (let round = 0; round < rounds; round++) all.push(await timed(url))
    return { first, ms: medianOf(all.map(({ ms }) => ms)), kilobytes }
  }

  const json = await looked(`/resolutions/${usual.id}`)
  const baseline = json.ms
  await untilIdle(server.pid)
  const [before = 0] = sharesOf(server.pid)
  const rows: Array<[string, typeof json]> = [['the answer as JSON', json]]
  for (const [page, url] of Object.entries(pages)) rows.push([page, await looked(url)])
  await untilIdle(server.pid)
  const [after = 0] = sharesOf(server.pid)
  console.log(`${long.frames.length} frames in the long one; medians of ${rounds}, beside the answer as JSON\n`)
  for (const [page, { first, ms, kilobytes }] of rows) {
    const bar = page.includes('60') ? BARS.longMs : BARS.ms
    const isWithin = ms < bar && (kilobytes < BARS.kilobytes || page.includes('JSON'))
    console.log(
      `${page.padEnd(28)}${ms.toFixed(1).padStart(7)} ms ${(ms / baseline).toFixed(1).padStart(6)} x` +
        `${kilobytes.toFixed(0).padStart(6)} KB   first ${first.toFixed(0)} ms${isWithin ? '' : '   over the bar'}`,
    )
  }
  const grown = (after - before) / MEGABYTE
  console.log(
    `\nmemory of the server: ${(before / MEGABYTE).toFixed(0)} MB, and ${grown.toFixed(0)} MB more after them`,
  )
  if (grown > BARS.memoryMb) process.exitCode = 1
} finally {
  await server.end()
}
