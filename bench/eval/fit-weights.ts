// Makes the fitted numbers of src/resolver/ranking/learned-weights.ts again from crashes whose fix is known.
// usage: node bench/eval/fit-weights.ts --crashes FILE.jsonl --clones FOLDER [--cache FOLDER] [--spread N]
// FILE and FOLDER are as for crashes.bench.ts. --spread is how far a number usually is from the one in the source,
// which earlier crashes taught; the larger it is, the more the given crashes decide.
// Prints each number, the fitted one before and after rounding, and how exactly these crashes alone tell it. Fails when
// a rounded number differs. docs/evaluation.md says what this shows, and what not.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cluesOf } from '../../src/resolver/context/clues.ts'
import { openFile } from '../../src/resolver/context/code-file.ts'
import { createRowTokens } from '../../src/resolver/context/row-tokens.ts'
import { unitsOf } from '../../src/resolver/context/units.ts'
import { FILE_WEIGHTS, UNIT_CHANCE } from '../../src/resolver/ranking/learned-weights.ts'
import { sumsOfFiles } from '../../src/resolver/ranking/rank-files.ts'
import { countTokens } from '../../src/tokens/o200k.ts'
import { cloneOf, rankCrash, readCrashes, type Crash, type RankedCrash } from './crashes.ts'
import { fit, gainBound, logLikelihood, type Choice, type Parameter } from './fit.ts'
import { mapNumbers, numbersIn } from './numbers.ts'
import { openCommit, type EvalProject } from './project.ts'
import { table } from './table.ts'

const STEP = 0.1
/** For numbers that lie between two steps. */
const HALF_STEP = 0.05
/** With this spread the crashes decide practically alone. */
const FREE_SPREAD = 10
const NO_FILE = 'noFile'
const BIAS = 'bias'
const DIFFERS = 'differs'

const { values: options } = parseArgs({
  options: {
    crashes: { type: 'string' },
    clones: { type: 'string' },
    cache: { type: 'string', default: join(tmpdir(), 'faultline-eval') },
    spread: { type: 'string', default: String(STEP) },
  },
})
const { crashes: file, clones, cache } = options
const spread = Number(options.spread)
if (file === undefined || clones === undefined || !(spread > 0)) {
  console.error(
    'usage: node bench/eval/fit-weights.ts --crashes FILE.jsonl --clones FOLDER [--cache FOLDER] [--spread N]',
  )
  process.exit(2)
}

const stepOf = (value: number): number => (Math.abs(value / STEP - Math.round(value / STEP)) < 1e-6 ? STEP : HALF_STEP)
const rounded = (value: number, step: number): number => Math.round(Math.round(value / step) * step * 100) / 100

/** One parameter for each number. Zeros were not fitted: a list with a weight of zero is left out on purpose. */
const parametersOf = (numbers: ReadonlyMap<string, number>, least: (name: string) => number): Parameter[] =>
  [...numbers].filter(([, value]) => value !== 0).map(([name, expected]) => ({ name, expected, least: least(name) }))

const fileParameters = parametersOf(numbersIn(FILE_WEIGHTS), name => (name.startsWith('lists.') ? 0 : -Infinity))
const unitParameters = parametersOf(numbersIn(UNIT_CHANCE), () => -Infinity)

/** The choice of the file to change, or of none that is listed. A feature is what a weight of 1 adds to a file. */
function fileChoice({ gold_files: wanted }: Crash, { query, fused }: RankedCrash): Choice {
  const columns = fileParameters.map(({ name }) =>
    sumsOfFiles(
      query,
      fused,
      mapNumbers(FILE_WEIGHTS, (_, path) => (path === name ? 1 : 0)),
    ),
  )
  const files = columns[0] ?? []
  const none = Float64Array.from(fileParameters, ({ name }) => (name === NO_FILE ? 1 : 0))
  const alternatives = files.map((_, i) => Float64Array.from(columns, column => column[i]?.sum ?? 0))
  const right = files.flatMap(({ path }, i) => (wanted.includes(path) ? [i] : []))
  return { alternatives: [...alternatives, none], right: right.length > 0 ? right : [files.length], share: 1 }
}

const rows = createRowTokens(countTokens)
const NOTHING_SAID = unitParameters.map(() => 0)

/** For each unit of a changed file, whether it changed. Each file counts once, however many units it has. */
function unitChoices({ gold_lines: places }: Crash, { files }: RankedCrash, { reader }: EvalProject): Choice[] {
  return files.flatMap((ranked, rank) => {
    const changed = places.filter(place => place.file === ranked.path)
    const opened = changed.length === 0 ? null : openFile(ranked, rank, reader, rows)
    if (opened === null) return []
    const units = unitsOf(opened)
    const isChanged = units.map(({ from, to }) => changed.some(({ start, end }) => start <= to && end >= from))
    if (!isChanged.includes(true)) return []
    return cluesOf(opened, units).map((clues, i): Choice => {
      const features = new Map([...numbersIn(clues), [BIAS, 1]])
      const alternatives = [unitParameters.map(({ name }) => features.get(name) ?? 0), NOTHING_SAID]
      return { alternatives, right: [isChanged[i] === true ? 0 : 1], share: 1 / units.length }
    })
  })
}

interface Group {
  title: string
  choices: readonly Choice[]
  parameters: readonly Parameter[]
}

function rowOf({ name, expected }: Parameter, weight: number, standardError: number): string[] {
  const again = rounded(weight, stepOf(expected))
  const note = again === expected ? '' : DIFFERS
  return [name, String(expected), weight.toFixed(3), String(again), `± ${standardError.toFixed(1)}`, note]
}

/** The gain when the choices alone decide, beside what they would gain by chance if the numbers were right. */
function gainLine({ choices, parameters }: Group): string {
  const numbers = parameters.map(({ expected }) => expected)
  const given = logLikelihood(choices, numbers)
  const free = fit(choices, parameters, { spread: FREE_SPREAD }).logLikelihood
  const [gain, bound] = [2 * (free - given), gainBound(parameters.length)].map(value => value.toFixed(1))
  const likelihoods = `log-likelihood ${given.toFixed(2)}, with free numbers ${free.toFixed(2)}`
  return `${likelihoods}: twice the gain is ${gain}, by chance up to ${bound}`
}

/** Prints a group of numbers. Returns how many of them differ. */
function report(group: Group): number {
  const { weights, standardErrors } = fit(group.choices, group.parameters, { spread })
  const rows = group.parameters.map((parameter, i) => rowOf(parameter, weights[i] ?? NaN, standardErrors[i] ?? NaN))
  console.log(
    `${group.title}\n${table([['', 'number', 'fitted', 'rounded', 'alone', ''], ...rows])}\n${gainLine(group)}\n`,
  )
  return rows.filter(row => row.includes(DIFFERS)).length
}

const crashes = readCrashes(file)
const ofFiles: Choice[] = []
const ofUnits: Choice[] = []
for (const crash of crashes) {
  const project = await openCommit(cloneOf(clones, crash.repo), crash.base_commit, { cache })
  const ranked = await rankCrash(crash.trace, project)
  ofFiles.push(fileChoice(crash, ranked))
  ofUnits.push(...unitChoices(crash, ranked, project))
}
const groups: Group[] = [
  { title: `FILE_WEIGHTS, by ${crashes.length} crashes`, choices: ofFiles, parameters: fileParameters },
  { title: `UNIT_CHANCE, by ${ofUnits.length} units`, choices: ofUnits, parameters: unitParameters },
]
const different = groups.reduce((sum, group) => sum + report(group), 0)
console.log(different === 0 ? 'Every number comes out as it is.' : `${different} numbers come out otherwise.`)
if (different > 0) process.exitCode = 1
