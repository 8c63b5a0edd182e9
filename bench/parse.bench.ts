// Parse texts of 1, 2, 4, 8 and 10 MiB of every shape, each in a process of its own.
// usage: node bench/parse.bench.ts [SHAPE…]
// Prints processor time, and beside each size the ratio to the 1 MiB run of the same shape: of time, and of the memory
// that the process needed above what it held with the text. Linear is 2, 4, 8, 10. Ends with the shapes that are over
// the bounds.
import { spawnSync } from 'node:child_process'
import { parseStackTrace } from '../src/stack-trace/parse.ts'
import { HOSTILE_SHAPES, LOG_SHAPES, ONE_LINE_SHAPES, shapedText } from '../test/helpers/log-shapes.ts'

const MIB = 1 << 20
const SIZES = [1, 2, 4, 8, 10]
const MAX_CPU_MS = 2000
const MAX_PEAK_MIB = 300
const SHAPES = new Map([...LOG_SHAPES, ...HOSTILE_SHAPES, ...ONE_LINE_SHAPES])

interface Measured {
  cpuMs: number
  peakMiB: number
  frames: number
}

function measure(shape: string, mib: number): Measured {
  const piece = SHAPES.get(shape)
  if (piece === undefined) throw new Error(`no such shape: ${shape}`)
  const text = shapedText(piece, mib * MIB)
  parseStackTrace(text.slice(0, 10_000)) // compiled before it is measured
  globalThis.gc?.()
  const idle = process.memoryUsage().rss
  const before = process.cpuUsage()
  const { framesTotal } = parseStackTrace(text)
  const { user, system } = process.cpuUsage(before)
  return {
    cpuMs: (user + system) / 1000,
    peakMiB: Math.max(0, process.resourceUsage().maxRSS * 1024 - idle) / MIB,
    frames: framesTotal,
  }
}

const [only, mib] = process.argv[2] === '--one' ? process.argv.slice(3) : []
if (only !== undefined) {
  console.log(JSON.stringify(measure(only, Number(mib))))
} else {
  const wanted = process.argv.slice(2)
  const over: string[] = []
  for (const shape of SHAPES.keys()) {
    if (wanted.length > 0 && !wanted.some(name => shape.includes(name))) continue
    const runs = SIZES.map(size => {
      const { stdout, stderr, status } = spawnSync(
        process.execPath,
        ['--expose-gc', import.meta.filename, '--one', shape, String(size)],
        { encoding: 'utf8' },
      )
      if (status !== 0) throw new Error(stderr)
      return { size, ...(JSON.parse(stdout) as Measured) }
    })
    const [first] = runs
    console.log(shape)
    for (const { size, cpuMs, peakMiB, frames } of runs) {
      const ratios =
        `time ×${(cpuMs / (first?.cpuMs ?? 1)).toFixed(1)}, memory ` +
        `×${(peakMiB / Math.max(1, first?.peakMiB ?? 1)).toFixed(1)}`
      console.log(
        `  ${String(size).padStart(2)} MiB  ${cpuMs.toFixed(0).padStart(6)} ms  ` +
          `${peakMiB.toFixed(0).padStart(5)} MiB above idle  ${String(frames).padStart(7)} frames  ${ratios}`,
      )
      if (cpuMs > MAX_CPU_MS || peakMiB > MAX_PEAK_MIB) {
        over.push(`${shape}: ${size} MiB took ${cpuMs.toFixed(0)} ms and ${peakMiB.toFixed(0)} MiB`)
      }
    }
  }
  console.log(
    over.length === 0
      ? `\nall under ${MAX_CPU_MS} ms and ${MAX_PEAK_MIB} MiB`
      : `\nover ${MAX_CPU_MS} ms or ${MAX_PEAK_MIB} MiB:\n${over.join('\n')}`,
  )
}
