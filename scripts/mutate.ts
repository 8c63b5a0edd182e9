// What the tests notice: npm run mutate -- [FILES…] [options]
import { globSync } from 'node:fs'
import { dirname } from 'node:path/posix'
import { parseArgs } from 'node:util'
import { readCheckout, type Source } from './figures/checkout.ts'
import { importGraph } from './figures/modules.ts'
import { draw } from './mutate/draw.ts'
import { readEquivalents, withoutEquivalents } from './mutate/equivalent.ts'
import { findMutants, type Mutant } from './mutate/mutants.ts'
import { nearTests } from './mutate/near-tests.ts'
import { runMutants, type MutantResult } from './mutate/run-mutants.ts'

const USAGE = `Usage: npm run mutate -- [FILES…] [options]

Changes one small thing at a time in a copy of the sources and says which changes no test near them noticed.
FILES are files and folders of src/, all of it by default.

  --sample N       tries N of the changes, drawn by --seed
  --seed S         another draw (1)
  --tests GLOB     runs these tests in place of those near the changed file
  --most-tests N   how many of the near ones are run at most (8)
  --timeout S      seconds that a test may take without a change; slower ones are left out (60)
  --jobs N         changes tried at once, 1 or 2 (2)
  --list           prints the changes without trying them

Changes that make no difference are listed with the reason in scripts/mutate/equivalent-mutants.json.
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    tests: { type: 'string' },
    'most-tests': { type: 'string', default: '8' },
    timeout: { type: 'string', default: '60' },
    jobs: { type: 'string', default: '2' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const say = (text: string): void => {
  process.stdout.write(`${text}\n`)
}

function chooseMutants(sources: readonly Source[]): Mutant[] {
  const wanted = positionals.map(path => path.replace(/^\.\//, '').replace(/\/$/, ''))
  const isWanted = ({ path }: Source) =>
    path.startsWith('src/') && (wanted.length === 0 || wanted.some(one => path === one || path.startsWith(`${one}/`)))
  const mutants = withoutEquivalents(sources.filter(isWanted).flatMap(findMutants), readEquivalents())
  return values.sample === undefined ? mutants : draw(mutants, Number(values.sample), Number(values.seed))
}

function described({ path, line, kind, before, after }: Mutant): string {
  return `${path}:${line}  ${kind}\n  - ${before}\n  + ${after}`
}

function survivor({ mutant, tests }: MutantResult): string {
  return `${described(mutant)}\n  not noticed by ${tests.length === 0 ? 'any: no test is near' : tests.join(', ')}\n`
}

function doubtful({ mutant, noticedBy }: MutantResult): string {
  return `${described(mutant)}\n  made ${noticedBy} run out of time: it never ends, or the machine was busy\n`
}

/** A mark of progress: a change that survived, one that ran out of time, one that was noticed. */
function markOf({ noticedBy, ranOut }: MutantResult): string {
  if (noticedBy === null) return 's'
  return ranOut ? 't' : '.'
}

/** How many changes were noticed, by folder and in all. */
function totals(results: readonly MutantResult[]): string {
  const line = (name: string, some: readonly MutantResult[]) => {
    const noticed = some.filter(({ noticedBy }) => noticedBy !== null).length
    return `${name.padEnd(40)} ${noticed} / ${some.length} noticed`
  }
  const folders = [...Map.groupBy(results, ({ mutant }) => dirname(mutant.path))].sort(([a], [b]) => (a < b ? -1 : 1))
  return [...folders.map(([folder, some]) => line(folder, some)), line('all', results)].join('\n')
}

async function main(): Promise<void> {
  const { sources } = readCheckout('.')
  const mutants = chooseMutants(sources)
  if (values.list) {
    for (const mutant of mutants) say(described(mutant))
    say(`${mutants.length} changes`)
    return
  }
  const graph = importGraph(sources)
  const named = values.tests === undefined ? null : globSync(values.tests)
  const results = await runMutants(mutants, {
    folder: '.',
    testsFor: path => named ?? nearTests(path, graph, Number(values['most-tests'])),
    atOnce: Math.min(2, Number(values.jobs)),
    timeoutMs: Number(values.timeout) * 1000,
    onResult: result => process.stderr.write(markOf(result)),
    onUnusable: (test, why) => process.stderr.write(`\n${test} is left out: it ${why} without any change.\n`),
  })
  process.stderr.write('\n')
  for (const result of results.filter(({ noticedBy }) => noticedBy === null)) say(survivor(result))
  for (const result of results.filter(({ ranOut }) => ranOut)) say(doubtful(result))
  say(totals(results))
}

if (values.help) say(USAGE)
else await main()
