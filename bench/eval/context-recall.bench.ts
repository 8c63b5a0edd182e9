// How much of what fixes changed stands in the context, by its tokens, beside windows of 500 lines around the frames (matched by base name) and
// three windows that share most with the message, of which the first 100 lines are shown.
// usage: node bench/eval/context-recall.bench.ts CASES.jsonl CLONES [--limit N] [--skip N]
// CASES: a crash a line: {id, repo: "owner/name", base_commit, trace, gold_files: [path], gold_lines: [{file, start, end}]}.
// CLONES: a folder with bare clones as `owner+name` or `owner+name/repo`.
// Prints for each budget: crashes with a changed file in the context, and changed places in it, per cent; mean tokens and files; then the time that the context takes.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Source } from '../../src/core/resolution.ts'
import { readCandidate, selectFiles, type TrackedFile } from '../../src/indexer/filter.ts'
import { listTree, readBlobs } from '../../src/repos/objects.ts'
import type { CodeReader } from '../../src/resolver/code-reader.ts'
import { buildContext } from '../../src/resolver/context/build-context.ts'
import { splitLines } from '../../src/core/source-text.ts'
import { framePath } from '../../src/resolver/frame-path.ts'
import { mapFrames } from '../../src/resolver/map-frames.ts'
import { focusOf, rankFrames } from '../../src/resolver/rank-frames.ts'
import { rankFiles } from '../../src/resolver/rank-files.ts'
import { cleanText } from '../../src/resolver/stack-trace/clean.ts'
import { parseStackTrace } from '../../src/resolver/stack-trace/parse.ts'
import { countTokens } from '../../src/resolver/tokens.ts'
import { tokenize } from '../../src/core/tokenize.ts'
import { indexedCodeReader, prepareProject } from '../../test/fakes/indexed-code-reader.ts'

interface Crash { id: string, repo: string, base_commit: string, trace: string, gold_files: string[], gold_lines: Array<{ file: string, start: number, end: number }> }
type Shown = Pick<Source, 'path' | 'startLine' | 'endLine'>

const BUDGETS = [2_000, 4_000, 8_000, 16_000, 32_000]
const WINDOW = 500
const STEP = 450
const PREVIEW = 100
const SIMILAR = 3

const { values, positionals } = parseArgs({ allowPositionals: true, options: { limit: { type: 'string', default: '1000' }, skip: { type: 'string', default: '0' } } })
const [casesPath, clones] = positionals
if (casesPath === undefined || clones === undefined) throw new Error('usage: node bench/eval/context-recall.bench.ts CASES.jsonl CLONES [--limit N] [--skip N]')

const gitDirOf = (repo: string): string | undefined => [join(repo.replace('/', '+'), 'repo'), repo.replace('/', '+')].map(name => join(clones, name)).find(path => existsSync(join(path, 'HEAD')))

async function openAt (gitDir: string, commit: string): Promise<CodeReader> {
  const tracked: TrackedFile[] = []
  for await (const entry of listTree(gitDir, commit)) tracked.push(entry)
  const { candidates } = selectFiles(tracked, { include: [], exclude: [] })
  const files: Array<{ path: string, language: string, text: string }> = []
  let next = 0
  for await (const { bytes } of readBlobs(gitDir, candidates.map(({ oid }) => oid))) {
    const candidate = candidates[next++]
    const read = candidate === undefined ? '' : readCandidate(bytes, candidate.language)
    if (candidate !== undefined && typeof read !== 'string') files.push({ path: candidate.path, language: read.language, text: read.text })
  }
  const reader = indexedCodeReader(prepareProject(files, { repository: 'repo' }))
  const known = new Map<string, Uint16Array | null>()
  return {
    ...reader,
    lineTokens (repository, path) { // counted when a project is indexed, which is not what is measured
      const tokens = known.get(path) ?? reader.lineTokens(repository, path)
      known.set(path, tokens)
      return tokens
    },
  }
}

interface Window extends Shown { marks: number[], text: string[] }

/** What a chunk of 500 lines for each frame and three that are alike would show. */
function windowsOf (crash: Crash, reader: CodeReader): Window[] {
  const trace = parseStackTrace(crash.trace)
  const byName = Map.groupBy(reader.files(), ({ path }) => path.slice(path.lastIndexOf('/') + 1))
  const windows = new Map<string, Window>()
  const show = (path: string, line: number, lines: number, isMarked: boolean): void => {
    const start = Math.max(0, Math.ceil((line - WINDOW) / STEP)) * STEP
    const key = `${path}:${start}`
    const known = windows.get(key) ?? { path, startLine: start + 1, endLine: start, marks: [], text: splitLines(reader.fileText('repo', path) ?? '').slice(start, start + lines) }
    known.endLine = start + known.text.length
    if (isMarked && line <= known.endLine) known.marks.push(line)
    if (known.text.length > 0) windows.set(key, known)
  }
  for (const frame of trace.frames.toReversed()) {
    const name = framePath(frame.file ?? '').path.split('/').at(-1) ?? ''
    for (const { path } of byName.get(name) ?? []) show(path, frame.line ?? 1, WINDOW, frame.line !== null)
  }
  const words = new Map(tokenize(trace.exceptions.map(({ type, message }) => `${type ?? ''} ${message ?? ''}`).join('\n').slice(0, 2000)).map(term => [term, 1]))
  for (const { path, startLine } of reader.searchTerms(words, SIMILAR)) show(path, startLine, PREVIEW, false)
  return [...windows.values()]
}

/** Whole windows while they fit; what does not is cut around its first mark. */
function fit (windows: readonly Window[], budget: number): Shown[] {
  let left = budget
  return windows.flatMap(({ path, startLine, endLine, marks, text }) => {
    const tokens = text.map((line, index) => countTokens(` ${startLine + index} | ${line.slice(0, 500)}\n`) + 2)
    let [from, to] = [startLine, endLine]
    const mark = marks[0] ?? startLine
    let sum = tokens.reduce((total, count) => total + count, 30)
    while (sum > left && marks.length > 0 && to > from) sum -= mark - from > to - mark ? tokens[from++ - startLine] ?? 0 : tokens[to-- - startLine] ?? 0
    if (sum > left) return []
    left -= sum
    return [{ path, startLine: from, endLine: to }]
  })
}

class Tally {
  readonly #rows: Array<{ file: number, lines: number | null, tokens: number, files: number }> = []

  add (crash: Crash, shown: readonly Shown[], tokens: number): void {
    const covered = crash.gold_lines.filter(({ file, start, end }) => shown.some(({ path, startLine, endLine }) => path === file && startLine <= end + 1 && endLine >= start - 1))
    this.#rows.push({ file: crash.gold_files.some(file => shown.some(({ path }) => path === file)) ? 1 : 0, lines: crash.gold_lines.length === 0 ? null : covered.length / crash.gold_lines.length, tokens, files: new Set(shown.map(({ path }) => path)).size })
  }

  toString (): string {
    const mean = (numbers: readonly number[]): number => numbers.reduce((sum, value) => sum + value, 0) / Math.max(1, numbers.length)
    const percent = (numbers: readonly number[]): string => (100 * mean(numbers)).toFixed(1).padStart(5)
    return `file ${percent(this.#rows.map(({ file }) => file))}  lines ${percent(this.#rows.flatMap(({ lines }) => lines ?? []))}  ${mean(this.#rows.map(({ tokens }) => tokens)).toFixed(0).padStart(6)} tokens  ${mean(this.#rows.map(({ files }) => files)).toFixed(1).padStart(5)} files`
  }
}

const extracts = BUDGETS.map(() => new Tally())
const windows = BUDGETS.map(() => new Tally())
const times: number[] = []
const crashes = readFileSync(casesPath, 'utf8').split('\n').filter(line => line !== '').map(line => JSON.parse(line) as Crash).slice(Number(values.skip)).slice(0, Number(values.limit))
for (const crash of crashes) {
  const gitDir = gitDirOf(crash.repo)
  if (gitDir === undefined) throw new Error(`no clone of ${crash.repo}`)
  const reader = await openAt(gitDir, crash.base_commit)
  const trace = parseStackTrace(crash.trace)
  const focus = focusOf(trace.exceptions, undefined)
  const ranked = rankFrames(mapFrames(trace.frames, reader.files(), (repository, path) => reader.fileText(repository, path)), trace.exceptions, focus)
  const files = await rankFiles(cleanText(crash.trace), trace, { ranked, focus }, { reader, embedQuery: async () => null })
  const seen = windowsOf(crash, reader)
  for (const [index, maxTokens] of BUDGETS.entries()) {
    buildContext(files, { reader, maxTokens, countTokens }) // counts the lines, which an index knows
    const started = performance.now()
    const { sources, contextTokens } = buildContext(files, { reader, maxTokens, countTokens })
    if (maxTokens === 16_000) times.push(performance.now() - started)
    extracts[index]?.add(crash, sources, contextTokens)
    windows[index]?.add(crash, fit(seen, maxTokens), maxTokens)
  }
  console.error(crash.id)
}
for (const [index, budget] of BUDGETS.entries()) console.log(`${String(budget).padStart(6)}  extracts ${extracts[index]?.toString()}  |  windows ${windows[index]?.toString()}`)
times.sort((a, b) => a - b)
console.log(`context of 16,000 tokens: median ${times[times.length >> 1]?.toFixed(2)} ms, p90 ${times[Math.floor(times.length * 0.9)]?.toFixed(2)} ms`)
