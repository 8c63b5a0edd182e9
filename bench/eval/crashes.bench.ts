// Crashes whose fix is known: does the answer show the code that the fix changed, and how high up? For each ranker, for
// all of them fused, and for the baseline.
// usage: node bench/eval/crashes.bench.ts --crashes FILE.jsonl --clones FOLDER [--cache FOLDER] [--sample N]
//   [--only ID,ID] [--show]
// FILE has a JSON object on each line (`Crash` in crashes.ts). FOLDER has bare clones as OWNER+NAME or OWNER+NAME/repo.
// --sample takes N crashes, spread evenly over the file. --show prints a line for each.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { crashLine, crashTables } from './crash-tables.ts'
import { cloneOf, evaluate, readCrashes, type Crash, type Outcome } from './crashes.ts'
import { openCommit } from './project.ts'

const { values: options } = parseArgs({
  options: {
    crashes: { type: 'string' },
    clones: { type: 'string' },
    cache: { type: 'string', default: join(tmpdir(), 'faultline-eval') },
    sample: { type: 'string' },
    only: { type: 'string' },
    show: { type: 'boolean' },
  },
})
const { crashes: file, clones, cache } = options
if (file === undefined || clones === undefined) {
  console.error(
    'usage: node bench/eval/crashes.bench.ts --crashes FILE.jsonl --clones FOLDER [--cache FOLDER] [--sample N] ' +
      '[--only ID,ID] [--show]',
  )
  process.exit(2)
}

const outcomes: Outcome[] = []

function chosen(crashes: readonly Crash[]): Crash[] {
  const only = options.only?.split(',')
  const named = crashes.filter(({ id }) => only === undefined || only.includes(id))
  const count = Math.min(named.length, Number(options.sample ?? named.length))
  return Array.from({ length: count }, (_, i) => named[Math.floor((i * named.length) / count)]).filter(
    crash => crash !== undefined,
  )
}

for (const crash of chosen(readCrashes(file))) {
  try {
    const project = await openCommit(cloneOf(clones, crash.repo), crash.base_commit, { cache })
    const outcome = await evaluate(crash, project)
    outcomes.push(outcome)
    if (options.show === true) console.log(crashLine(outcome))
  } catch (error) {
    console.error(`${crash.id}: ${String(error)}`)
    process.exitCode = 1
  }
}
console.log(crashTables(outcomes))
