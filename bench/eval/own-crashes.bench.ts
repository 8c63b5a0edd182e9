// Crashes of the programs that come with the tests: for each ranker, for all of them fused, and for the baseline.
// usage: node bench/eval/own-crashes.bench.ts [--show] [--traces]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { crashLine, crashTables } from './crash-tables.ts'
import { evaluate, type Outcome } from './crashes.ts'
import { makeOwnCrashes } from './own-crashes.ts'
import { projectOf } from './project.ts'

const { values: options } = parseArgs({ options: { show: { type: 'boolean' }, traces: { type: 'boolean' } } })
const folder = mkdtempSync(join(tmpdir(), 'faultline-crashes-'))
try {
  const { files, crashes, skipped } = makeOwnCrashes(folder)
  for (const reason of skipped) console.log(`skipped ${reason}`)
  const project = await projectOf(files)
  const outcomes: Outcome[] = []
  for (const crash of crashes) {
    const outcome = await evaluate(crash, project)
    outcomes.push(outcome)
    if (options.show === true) console.log(crashLine(outcome))
    if (options.traces === true) console.log(crash.trace)
  }
  console.log(`${files.length} files`)
  console.log(crashTables(outcomes, { bars: false }))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
