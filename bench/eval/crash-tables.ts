import { BUDGETS, CONTEXT, FUSION, SEED, type Outcome, type Recall } from './crashes.ts'
import { table } from './table.ts'

const PLACES = [1, 3, 5, 10, 20] as const
const STEPS = [0, 0.1, 0.3, 0.5, 0.7, 0.9, 1] as const
const FULL_TOKENS = 16_000
const BAR = 'bar for ours'
/** In per cent. They are the bars of docs/evaluation.md. */
const BARS = {
  first: new Map([
    [1, 50],
    [3, 68],
    [5, 76],
  ]),
  notInTrace: new Map([[5, 36]]),
  file: new Map([[16_000, 86]]),
  lines: new Map([[16_000, 60]]),
}

const percent = (value: number): string => (Number.isNaN(value) ? '–' : (100 * value).toFixed(1))
const mean = (values: readonly number[]): number =>
  values.length === 0 ? NaN : values.reduce((sum, value) => sum + value, 0) / values.length

function rankTable(outcomes: readonly Outcome[]): string[][] {
  const others = outcomes.filter(({ isInTrace }) => !isInTrace)
  const names = [...new Set(outcomes.flatMap(({ ranks }) => [...ranks.keys()]))]
  const cells = (name: string, of: readonly Outcome[]) => {
    const ranks = of.map(outcome => outcome.ranks.get(name) ?? Infinity)
    return [
      ...PLACES.map(place => percent(mean(ranks.map(rank => (rank <= place ? 1 : 0))))),
      of.length === 0 ? '–' : mean(ranks.map(rank => 1 / rank)).toFixed(3),
    ]
  }
  const bars = (of: ReadonlyMap<number, number>) => [
    ...PLACES.map(place => (of.has(place) ? `≥ ${of.get(place)}` : '')),
    '',
  ]
  const head = [
    'file among the first',
    ...PLACES.map(place => `@${place}`),
    'MRR',
    '|',
    ...PLACES.map(place => `@${place}`),
    'MRR',
  ]
  const rows = names.map(name => [name, ...cells(name, outcomes), '|', ...cells(name, others)])
  return [head, ...rows, [BAR, ...bars(BARS.first), '|', ...bars(BARS.notInTrace)]]
}

const recallOf = (recalls: ReadonlyMap<number, Recall>, budget: number): Recall =>
  recalls.get(budget) ?? { file: false, lines: 0 }

function contextTable(outcomes: readonly Outcome[]): string[][] {
  const row = (name: string, of: 'ours' | 'seed', value: (recall: Recall) => number | null) => [
    name,
    ...BUDGETS.map(budget => percent(mean(outcomes.flatMap(outcome => value(recallOf(outcome[of], budget)) ?? [])))),
  ]
  const file = ({ file }: Recall) => (file ? 1 : 0)
  const lines = ({ lines }: Recall) => lines
  const bars = (of: ReadonlyMap<number, number>) => [
    BAR,
    ...BUDGETS.map(budget => (of.has(budget) ? `≥ ${of.get(budget)}` : '')),
  ]
  return [
    ['in a context of tokens', ...BUDGETS.map(budget => `${budget / 1000}k`)],
    row('file', 'ours', file),
    row(`file, ${SEED}`, 'seed', file),
    bars(BARS.file),
    row('changed places', 'ours', lines),
    row(`changed places, ${SEED}`, 'seed', lines),
    bars(BARS.lines),
  ]
}

const ratio = (part: number, whole: number): string => `${part} of ${whole}, ${percent(part / whole)}`
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

/** Bytes of the answers to traces of about twenty lines: the least, the median, the most. */
function bytesOf(outcomes: readonly Outcome[]): string {
  const bytes = outcomes.flatMap(({ short }) => (short.traceLines >= 15 && short.traceLines <= 25 ? short.bytes : []))
  return `${Math.min(...bytes)}, ${median(bytes)}, ${Math.max(...bytes)}`
}

/** How much a short answer keeps of what the full one shows, and how long it is. */
function shortTable(outcomes: readonly Outcome[]): string[][] {
  const full = (outcome: Outcome): Recall => recallOf(outcome.ours, FULL_TOKENS)
  const withFile = outcomes.filter(outcome => full(outcome).file)
  const withLines = outcomes.filter(outcome => (full(outcome).lines ?? 0) > 0)
  const count = (of: readonly Outcome[], test: (outcome: Outcome) => boolean): string =>
    ratio(of.filter(test).length, of.length)
  return [
    ['short answers', ''],
    ['show the file, of those that show it in full', count(withFile, ({ short }) => short.file)],
    ['show or name it', count(withFile, ({ short }) => short.named)],
    ['show changed lines, of those that do in full', count(withLines, ({ short }) => (short.lines ?? 0) > 0)],
    ['changed places', percent(mean(outcomes.flatMap(({ short }) => short.lines ?? [])))],
    ['tokens, median', String(median(outcomes.map(({ short }) => short.tokens)))],
    ['bytes of JSON, median', String(median(outcomes.map(({ short }) => short.bytes)))],
    ['the same for traces of 15 to 25 lines', bytesOf(outcomes)],
    ['a model is sent changed lines', count(withLines, ({ short }) => (short.model.lines ?? 0) > 0)],
    ['tokens that it is sent, median', String(median(outcomes.map(({ short }) => short.model.tokens)))],
  ]
}

/**
 * The table of scores: for each range, the mean score of first files beside the share of these files that had to
 * change, and the share of crashes with such a file among the first five.
 */
function confidenceTable(outcomes: readonly Outcome[]): string[][] {
  const rows = STEPS.slice(0, -1).flatMap((from, i) => {
    const to = STEPS[i + 1] ?? 1
    const inside = outcomes.filter(
      ({ first }) => first !== null && first.score >= from && (first.score < to || to === 1),
    )
    if (inside.length === 0) return []
    const among = inside.map(({ ranks }) => Number((ranks.get(FUSION) ?? Infinity) <= 5))
    return [
      [
        `${from} to ${to}`,
        String(inside.length),
        percent(mean(inside.map(({ first }) => first?.score ?? 0))),
        percent(mean(inside.map(({ first }) => (first?.isRight === true ? 1 : 0)))),
        percent(mean(among)),
      ],
    ]
  })
  return [['score of the first file', 'crashes', 'mean', 'right', 'among 5'], ...rows]
}

/**
 * Three tables: the place of the first file that had to change, for each ranker; how much of the change contexts of
 * several sizes show; whether scores are the probabilities that they are meant to be.
 *
 * @param bars - Whether to print the bars, which are meant for real crashes.
 */
export function crashTables(outcomes: readonly Outcome[], { bars = true } = {}): string {
  const tables = [rankTable(outcomes), contextTable(outcomes), shortTable(outcomes), confidenceTable(outcomes)].map(
    rows => table(bars ? rows : rows.filter(([name]) => name !== BAR)),
  )
  return (
    `${outcomes.length} crashes, per cent; right of the line the ` +
    `${outcomes.filter(({ isInTrace }) => !isInTrace).length} whose file the trace does not name\n` +
    `${tables.join('\n\n')}`
  )
}

/**
 * One crash as a line: the place of its file in the fusion, in the answer and for the baseline; the share of changed
 * places that contexts show.
 */
export function crashLine({ id, isInTrace, ranks, ours }: Outcome): string {
  const place = (name: string) => String(ranks.get(name) ?? '–').padStart(3)
  const lines = [...ours]
    .map(([budget, { lines }]) => `${budget / 1000}k ${lines === null ? '–' : Math.round(lines * 100)}`)
    .join(', ')
  return (
    `${id.padEnd(40)} ${isInTrace ? '' : 'not '}in trace; ${FUSION} ${place(FUSION)}, ${CONTEXT} ` +
    `${place(CONTEXT)}, ${SEED} ${place(SEED)}; changed places % at ${lines}`
  )
}
