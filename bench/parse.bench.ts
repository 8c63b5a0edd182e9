// Parse logs of 1, 2, 4 and 8 MiB of several shapes, each in a process of its own.
// usage: node bench/parse.bench.ts [SHAPE…]
// Prints processor time, and beside each size the ratio to the 1 MiB run of the same shape: of time, and of the memory that
// the process needed above what it held with the text. Linear is 2, 4, 8.
import { spawnSync } from 'node:child_process'
import { parseStackTrace } from '../src/resolver/stack-trace/parse.ts'

const MIB = 1 << 20
const SIZES = [1, 2, 4, 8]

const entry = (at: number, text: string) => `2026-11-21T22:20:${String(at % 60).padStart(2, '0')}.${String(at % 1000).padStart(3, '0')}Z ${text}\n`
const pythonTrace = (at: number) => `Traceback (most recent call last):\n  File "/srv/app/shop.py", line ${at % 997}, in pay\n    return total(lines)\n  File "/srv/app/cart.py", line ${at % 89}, in total\n    return sum(price(line) for line in lines)\nKeyError: 'item ${at}'\n`
const nodeTrace = (at: number) => `TypeError: item ${at} is undefined\n    at total (/srv/app/cart.js:${at % 997}:21)\n    at async pay (/srv/app/shop.js:${at % 89}:3)\n    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)\n`

const SHAPES = new Map<string, (at: number) => string>([
  ['log without a trace', at => entry(at, `INFO shop.api request ${at} took ${at % 300} ms from 10.0.0.${at % 255}`)],
  ['log with a trace in it now and then', at => entry(at, at % 50 === 0 ? `ERROR shop.api failed\n${pythonTrace(at)}` : `INFO shop.api request ${at} done`)],
  ['distinct Python traces', at => `${pythonTrace(at)}\n`],
  ['distinct V8 traces', at => `${nodeTrace(at)}\n`],
  ['two containers in turns', at => `${at % 2 === 0 ? 'web-1' : 'job-12'}  | ${entry(at, `line ${at}`)}`],
  ['events of JSON', at => `${JSON.stringify({ level: 50, time: 1763763600000 + at, msg: 'failed', err: { stack: nodeTrace(at) } })}\n`],
  ['one line with its breaks written out', at => nodeTrace(at).replaceAll('\n', '\\n')],
  ['one line of nothing', () => 'x'.repeat(1000)],
  ['frames of one trace', at => `    at f${at} (/srv/app/file-${at % 50}.js:${at}:5)\n`],
  ['binary', at => String.fromCharCode(...Array.from({ length: 100 }, (_, index) => (at * 7919 + index * 104_729) % 0x10000))],
])

interface Measured { cpuMs: number, peakMiB: number, frames: number }

function make (shape: string, size: number): string {
  const piece = SHAPES.get(shape)
  if (piece === undefined) throw new Error(`no such shape: ${shape}`)
  const pieces: string[] = []
  for (let at = 0, length = 0; length < size; at++) length += pieces[pieces.push(piece(at)) - 1]?.length ?? 0
  return pieces.join('').slice(0, size)
}

function measure (shape: string, mib: number): Measured {
  const text = make(shape, mib * MIB)
  parseStackTrace(text.slice(0, 10_000)) // compiled before it is measured
  globalThis.gc?.()
  const idle = process.memoryUsage().rss
  const before = process.cpuUsage()
  const { framesTotal } = parseStackTrace(text)
  const { user, system } = process.cpuUsage(before)
  return { cpuMs: (user + system) / 1000, peakMiB: Math.max(0, process.resourceUsage().maxRSS * 1024 - idle) / MIB, frames: framesTotal }
}

const [only, mib] = process.argv[2] === '--one' ? process.argv.slice(3) : []
if (only !== undefined) {
  console.log(JSON.stringify(measure(only, Number(mib))))
} else {
  const wanted = process.argv.slice(2)
  for (const shape of SHAPES.keys()) {
    if (wanted.length > 0 && !wanted.some(name => shape.includes(name))) continue
    const runs = SIZES.map((size) => {
      const { stdout, stderr, status } = spawnSync(process.execPath, ['--expose-gc', import.meta.filename, '--one', shape, String(size)], { encoding: 'utf8' })
      if (status !== 0) throw new Error(stderr)
      return { size, ...JSON.parse(stdout) as Measured }
    })
    const [first] = runs
    console.log(shape)
    for (const { size, cpuMs, peakMiB, frames } of runs) {
      const ratios = `time ×${(cpuMs / (first?.cpuMs ?? 1)).toFixed(1)}, memory ×${(peakMiB / Math.max(1, first?.peakMiB ?? 1)).toFixed(1)}`
      console.log(`  ${size} MiB  ${cpuMs.toFixed(0).padStart(6)} ms  ${peakMiB.toFixed(0).padStart(5)} MiB above idle  ${String(frames).padStart(7)} frames  ${ratios}`)
    }
  }
}
