// How well outlines agree with tree-sitter, per language, on files drawn from bare clones.
// usage: node bench/eval/outline.bench.ts --grammars FOLDER --clones FOLDER [--files N] [--seed N] [--show N]
// [LANGUAGE…]
// FOLDER of the grammars: one in which `npm i web-tree-sitter@0.27.1 tree-sitter-wasm@2.0.2` was run; neither is a
// dependency of this project.
// FOLDER of the clones: bare repositories in it, or in its folders as `NAME/repo`.
// Prints two tables. The first, per language: files, definitions that tree-sitter finds, those with the same name,
// first and last line, other extent, missed; and what is only ours in files that parse without an error. Definitions
// with a syntax error inside count neither for nor against.
// The second: what both cost on the same files, each language and each way in a process of its own (outline-cost.ts):
// text per second of processor time, memory above what the process held with the texts, and time until it can begin.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readCandidate, selectFiles } from '../../src/indexer/filter.ts'
import { OUTLINED_LANGUAGES, outlineOf } from '../../src/outline/outline.ts'
import { readBlobs } from '../../src/repos/objects/objects.ts'
import type { Cost } from './outline-cost.ts'
import { loadTruth, type TrueDefinition, type Truth } from './syntax-trees.ts'

const MAX_CHARS = 200_000
const PER_CLONE = 0.25 // of the sample at most, so that no project speaks for its language

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    grammars: { type: 'string' },
    clones: { type: 'string' },
    files: { type: 'string', default: '120' },
    seed: { type: 'string', default: '1' },
    show: { type: 'string', default: '0' },
  },
})
if (values.grammars === undefined || values.clones === undefined) {
  throw new Error('--grammars and --clones are needed; see the head of this file')
}
const [wantedFiles, shown] = [Number(values.files), Number(values.show)]
const languages = positionals.length > 0 ? positionals : OUTLINED_LANGUAGES

interface Source {
  clone: string
  path: string
  oid: string
  language: string
  gitDir: string
  order: string
}

function clonesIn(folder: string): Array<{ clone: string; gitDir: string }> {
  return readdirSync(folder)
    .sort()
    .flatMap(name => {
      const gitDir = [join(folder, name, 'repo'), join(folder, name)].find(path => existsSync(join(path, 'HEAD')))
      return gitDir === undefined ? [] : [{ clone: name, gitDir }]
    })
}

async function sourcesOf(folder: string): Promise<Source[]> {
  const sources: Source[] = []
  for (const { clone, gitDir } of clonesIn(folder)) {
    // not through the project's reader of trees, which refuses a clone in which an object is missing
    const listing = spawnSync('git', ['--git-dir', gitDir, 'ls-tree', '-r', '-z', 'HEAD'], {
      encoding: 'utf8',
      maxBuffer: 1 << 30,
    }).stdout
    const tracked = listing.split('\0').flatMap(row => {
      const [, mode, oid, path] = /^(\d+) blob (\w+)\t([^]+)$/.exec(row) ?? []
      return mode === undefined || oid === undefined || path === undefined
        ? []
        : [{ path, mode, type: 'blob' as const, oid, size: 1 }]
    })
    for (const { path, oid, language } of selectFiles(tracked, { include: [], exclude: [] }).candidates) {
      if (language !== null && languages.includes(language)) {
        sources.push({
          clone,
          path,
          oid,
          language,
          gitDir,
          order: createHash('sha1').update(`${values.seed} ${clone} ${path}`).digest('hex'),
        })
      }
    }
  }
  return sources.sort((a, b) => (a.order < b.order ? -1 : 1))
}

async function read(source: Source): Promise<string | null> {
  const blobs: Buffer[] = []
  for await (const { bytes } of readBlobs(source.gitDir, [source.oid])) blobs.push(bytes)
  const file = readCandidate(blobs[0] ?? Buffer.alloc(0), source.language)
  return typeof file === 'string' || file.language !== source.language || file.text.length > MAX_CHARS
    ? null
    : file.text
}

const keyOf = ({ name, startLine, endLine }: TrueDefinition): string => `${name}:${startLine}-${endLine}`
const overlaps = (a: TrueDefinition, b: TrueDefinition): boolean =>
  a.name === b.name && a.startLine <= b.endLine && b.startLine <= a.endLine

interface Tally {
  files: number
  truth: number
  right: number
  extent: number
  missed: number
  invented: number
}

function compare(
  tally: Tally,
  ours: TrueDefinition[],
  { definitions, doubtful, hasErrors }: Truth,
  where: string,
): string[] {
  const notes: string[] = []
  const keys = new Set(ours.map(keyOf))
  for (const definition of definitions) {
    tally.truth++
    if (keys.has(keyOf(definition))) {
      tally.right++
      continue
    }
    const other = ours.find(candidate => overlaps(candidate, definition))
    if (other === undefined) tally.missed++
    else tally.extent++
    notes.push(`${other === undefined ? 'missed' : `extent ${keyOf(other)}, not`} ${keyOf(definition)} ${where}`)
  }
  if (hasErrors) return notes
  const known = [...definitions, ...doubtful]
  for (const definition of ours) {
    if (known.some(other => overlaps(other, definition))) continue
    tally.invented++
    notes.push(`only ours ${keyOf(definition)} ${where}`)
  }
  return notes
}

/** What it costs to read these texts, in a process of its own; null when there is no grammar. */
function costOf(language: string, texts: readonly string[], grammars?: string): Cost | null {
  const script = join(import.meta.dirname, 'outline-cost.ts')
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    ['--expose-gc', script, language, ...(grammars === undefined ? [] : [grammars])],
    { input: JSON.stringify(texts), encoding: 'utf8', maxBuffer: 1 << 20 },
  )
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Cost | null
}

/** A row of the second table: ours beside tree-sitter's. */
function costRow(language: string, texts: readonly string[], grammars: string): string {
  const chars = texts.reduce((sum, text) => sum + text.length, 0)
  const ways = [costOf(language, texts), costOf(language, texts, grammars)]
  const column = (show: (cost: Cost) => string): string =>
    ways.map(cost => (cost === null ? '–' : show(cost))).join(' | ')
  const speed = column(({ cpuMs }) => (chars / 1000 / cpuMs).toFixed(1))
  const memory = column(({ peakMiB }) => peakMiB.toFixed(0))
  const start = column(({ startMs }) => startMs.toFixed(0))
  return `| ${language} | ${(chars / 1e6).toFixed(1)} | ${speed} | ${memory} | ${start} |`
}

const costs: string[] = []
const sources = await sourcesOf(values.clones)
console.log(
  '| language | files | definitions | right | % | other extent | missed | only ours |\n' +
    '|---|---:|---:|---:|---:|---:|---:|---:|',
)
for (const language of languages) {
  const truthOf = await loadTruth(values.grammars, language)
  const tally: Tally = { files: 0, truth: 0, right: 0, extent: 0, missed: 0, invented: 0 }
  const notes: string[] = []
  const perClone = new Map<string, number>()
  const texts: string[] = []
  const mine = sources.filter(source => source.language === language)
  const spread = new Set(mine.map(({ clone }) => clone)).size > 3
  for (const source of mine) {
    if (tally.files >= wantedFiles) break
    const taken = perClone.get(source.clone) ?? 0
    if (spread && taken >= wantedFiles * PER_CLONE) continue
    const text = await read(source)
    if (text === null) continue
    perClone.set(source.clone, taken + 1)
    texts.push(text)
    tally.files++
    const outline = outlineOf(text, language)
    const truth = truthOf?.(text)
    if (truth != null) notes.push(...compare(tally, outline?.scopes ?? [], truth, `${source.clone} ${source.path}`))
  }
  const percent = tally.truth === 0 ? '–' : ((tally.right / tally.truth) * 100).toFixed(1)
  console.log(
    `| ${language} | ${tally.files} | ${tally.truth} | ${tally.right} | ${percent} | ${tally.extent} | ` +
      `${tally.missed} | ${tally.invented} |`,
  )
  for (const note of notes.slice(0, shown)) console.log(`  ${note}`)
  costs.push(costRow(language, texts, values.grammars))
}
console.log(
  '\n| language | MB | MB/s | MB/s tree-sitter | MiB | MiB tree-sitter | start ms | start ms tree-sitter |\n' +
    '|---|---:|---:|---:|---:|---:|---:|---:|',
)
for (const row of costs) console.log(row)
