// Measures what reading texts costs, in a process of its own: by the scanners of this project, or by tree-sitter.
// Started by outline.bench.ts, which writes the texts to its input: node outline-cost.ts LANGUAGE [GRAMMARS]
// With a folder of grammars, trees are only parsed and freed; searching them for definitions is not counted.
import { json } from 'node:stream/consumers'
import { outlineOf } from '../../src/outline/outline.ts'
import { loadParser } from './syntax-trees.ts'

/** Time and memory that one process needed for all of its texts. */
export interface Cost {
  /** Wall time until the first text can be read: a grammar has to be compiled first. */
  startMs: number
  /** Processor time of all threads for reading all texts a second time, when the code is compiled. */
  cpuMs: number
  /** Most memory held while reading, above what the process held with the texts. */
  peakMiB: number
}

const MIB = 1 << 20

type Read = (text: string) => unknown

async function readerOf(language: string, grammars: string | undefined): Promise<Read | null> {
  if (grammars === undefined) return text => outlineOf(text, language)
  const parser = await loadParser(grammars, language)
  return parser === null ? null : text => parser.parse(text)?.delete()
}

const [language = '', grammars] = process.argv.slice(2)
const texts = (await json(process.stdin)) as string[]
globalThis.gc?.()
const idle = process.memoryUsage().rss
const begun = performance.now()
const read = await readerOf(language, grammars)
if (read === null) {
  console.log('null')
} else {
  const startMs = performance.now() - begun
  let peak = idle
  for (const text of texts) {
    read(text)
    peak = Math.max(peak, process.memoryUsage.rss()) // not maxRSS: a child begins with that of its parent
  }
  const before = process.cpuUsage()
  for (const text of texts) read(text)
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ startMs, cpuMs: (user + system) / 1000, peakMiB: (peak - idle) / MIB } satisfies Cost))
}
