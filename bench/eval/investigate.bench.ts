// Crashes whose fix changed no file of the trace: does the context that a model gets first show a changed file? Does
// one who looks around with the tools of an investigation come to it? A policy that follows references is the model.
// usage: node bench/eval/investigate.bench.ts --crashes FILE.jsonl --clones FOLDER [--cache FOLDER] [--steps N]
//   [--only ID,ID]
// FILE and FOLDER as in crashes.bench.ts; crashes whose clone is not there are passed over.
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { look, type Look } from '../../src/pipelines/resolve/investigate/look.ts'
import { buildContext } from '../../src/resolver/context/build-context.ts'
import { shortAnswer } from '../../src/resolver/short-answer.ts'
import { countTokens } from '../../src/tokens/o200k.ts'
import { codeToAsk } from './code-to-ask.ts'
import { cloneOf, rankCrash, readCrashes, type Crash } from './crashes.ts'
import { openCommit, type EvalProject } from './project.ts'
import { ReferencePolicy } from './reference-policy.ts'

const { values: options } = parseArgs({
  options: {
    crashes: { type: 'string' },
    clones: { type: 'string' },
    cache: { type: 'string', default: join(tmpdir(), 'faultline-eval') },
    steps: { type: 'string', default: '12' },
    only: { type: 'string' },
  },
})
const { crashes: file, clones, cache } = options
if (file === undefined || clones === undefined) {
  console.error('usage: node bench/eval/investigate.bench.ts --crashes FILE.jsonl --clones FOLDER [--cache FOLDER]')
  process.exit(2)
}
const MAX_STEPS = Number(options.steps)
const CONTEXT_TOKENS = 16_000
const MAX_SHOWN_CHARS = 60

/** What one crash came to. */
interface Investigated {
  plain: boolean
  /** Whether a context of 16,000 tokens shows a changed file, which is not what a model gets first. */
  full: boolean
  looks: Look[]
  /** Of the look that came to a changed file; null when none did. */
  reachedAt: number | null
}

/** The steps are chosen before they are compared with the fix, which the policy never gets. */
async function investigate(crash: Crash, project: EvalProject): Promise<Investigated | null> {
  const { files, exceptions, frames, mapped } = await rankCrash(crash.trace, project)
  const wanted = new Set(crash.gold_files)
  if (mapped.some(path => wanted.has(path))) return null
  const findings = { exceptions, frames, files, reader: project.reader, maxTokens: CONTEXT_TOKENS, countTokens }
  const printed = ({ type, message }: (typeof exceptions)[number]) => [type, message].filter(Boolean).join(' ')
  const { sources, dropped } = shortAnswer({ ...findings, forModel: true })

  const { sources: full } = buildContext(files, { reader: project.reader, maxTokens: CONTEXT_TOKENS, countTokens })
  const code = codeToAsk(project)
  const policy = new ReferencePolicy({
    trace: crash.trace,
    messages: exceptions.toReversed().map(printed),
    frames: frames.toReversed(),
    named: dropped.map(name => (typeof name === 'string' ? name : name.path)),
    codeOf({ repository, path, codeLine }) {
      if (repository === null || path === null || codeLine === null) return null
      const lines = project.reader.fileText(repository, path)?.split('\n') ?? []
      const line = lines[codeLine - 1]
      const around = project.reader
        .definitionsIn(repository, path)
        .filter(({ startLine, endLine }) => startLine <= codeLine && endLine >= codeLine)
      const inner = around.toSorted((a, b) => b.startLine - a.startLine)[0]
      const { name: scope = null } = inner ?? {}
      return line === undefined ? null : { line, scope }
    },
  })
  const asked = new Map<string, Look>()
  const looks: Look[] = []
  const { signal } = new AbortController()
  for (let step = 1; step <= MAX_STEPS; step++) {
    const call = policy.next()
    if (call === null) break
    const made = await look(call, { step, asked, code, signal })
    if (made.key !== null) asked.set(made.key, made)
    looks.push(made)
    policy.saw(made)
  }
  return {
    plain: sources.some(({ path }) => wanted.has(path)),
    full: full.some(({ path }) => wanted.has(path)),
    looks,
    reachedAt: looks.find(({ lines }) => lines.some(({ path }) => wanted.has(path)))?.step ?? null,
  }
}

const shown = ({ tool, arguments: given, summary }: Look): string =>
  `${tool} ${given.slice(0, MAX_SHOWN_CHARS)}: ${summary.slice(0, MAX_SHOWN_CHARS)}`

const totals = { crashes: 0, plain: 0, full: 0, withFull: 0, looks: 0, either: 0 }
for (const crash of readCrashes(file).filter(({ id }) => options.only?.split(',').includes(id) ?? true)) {
  const clone = cloneOf(clones, crash.repo)
  if (crash.in_trace === true || !existsSync(clone)) continue
  try {
    const found = await investigate(crash, await openCommit(clone, crash.base_commit, { cache }))
    if (found === null) continue
    const { plain, full, looks, reachedAt } = found
    totals.crashes += 1
    totals.plain += Number(plain)
    totals.full += Number(full)
    totals.withFull += Number(full || reachedAt !== null)
    totals.looks += Number(reachedAt !== null)
    totals.either += Number(plain || reachedAt !== null)
    const reached = reachedAt === null ? `not in ${looks.length} steps` : `by step ${reachedAt}`
    console.log(`${crash.id}: plain context ${plain ? 'shows it' : 'does not'}; looking around comes to it ${reached}`)
    for (const one of looks.slice(0, reachedAt ?? looks.length)) console.log(`    ${one.step}. ${shown(one)}`)
  } catch (error) {
    console.error(`${crash.id}: ${String(error)}`)
    process.exitCode = 1
  }
}
console.log(
  `\n${totals.crashes} crashes whose fix is not in the trace: the plain context shows a changed file in ` +
    `${totals.plain}; with at most ${MAX_STEPS} steps more an investigation has seen one in ${totals.either} ` +
    `(the steps alone: ${totals.looks}). With ${CONTEXT_TOKENS} tokens of context in place of the first one: ` +
    `${totals.full}, with the steps ${totals.withFull}.`,
)
