import { test } from 'tap'
import { evaluate, FUSION, SEED, type Crash } from '../../bench/eval/crashes.ts'
import { projectOf } from '../../bench/eval/project.ts'
import { withinBudget } from '../../bench/eval/seed.ts'
import { splitLines } from '../../src/core/source-text.ts'
import { countTokens } from '../../src/tokens/o200k.ts'
import { numberedFile } from '../fakes/memory-code-reader.ts'

const TOTAL = 'def total(order):\n    return order.net() * rate_of(order)\n'
const project = projectOf([
  { path: 'shop/long.py', language: 'python', text: numberedFile(1_200, 'value =') },
  { path: 'shop/total.py', language: 'python', text: TOTAL },
])

const crashIn = (file: string, line: number, places: Crash['gold_lines']): Crash => ({
  id: 'one',
  repo: 'acme/shop',
  base_commit: '',
  trace:
    'Traceback (most recent call last):\n' +
    `  File "/srv/${file}", line ${line}, in total\n` +
    'TypeError: unsupported operand',
  gold_files: [...new Set(places.map(({ file }) => file))],
  gold_lines: places,
})

test('the first file that had to change counts, for ours and for the baseline', async t => {
  const { ranks, isInTrace } = await evaluate(
    crashIn('shop/total.py', 2, [
      { file: 'shop/gone.py', start: 1, end: 1 },
      { file: 'shop/total.py', start: 2, end: 2 },
    ]),
    await project,
  )
  t.same([ranks.get('frames'), ranks.get(FUSION), ranks.get(SEED), isInTrace], [1, 1, 1, true])
  const other = await evaluate(crashIn('shop/total.py', 2, [{ file: 'shop/gone.py', start: 1, end: 1 }]), await project)
  t.same([other.ranks.get(FUSION), other.ranks.get(SEED), other.isInTrace], [null, null, false])
})

test('of changed places the share that is shown counts, a line beside them included', async t => {
  const { ours, seed } = await evaluate(
    crashIn('shop/total.py', 2, [
      { file: 'shop/total.py', start: 3, end: 3 },
      { file: 'shop/gone.py', start: 1, end: 1 },
    ]),
    await project,
  )
  t.same(
    [ours.get(2_000), seed.get(2_000)],
    [
      { file: true, lines: 0.5 },
      { file: true, lines: 0.5 },
    ],
  )
})

test('the baseline shows the whole window of a frame, cut where the tokens end', async t => {
  const { reader } = await project
  const places = [
    { file: 'shop/long.py', start: 460, end: 460 },
    { file: 'shop/long.py', start: 940, end: 940 },
  ]
  const { seed } = await evaluate(crashIn('shop/long.py', 600, places), await project)
  t.same(
    [2_000, 8_000].map(budget => seed.get(budget)?.lines),
    [0.5, 1],
  )
  const [only, ...rest] = withinBudget(
    [
      { path: 'shop/long.py', startLine: 451, endLine: 950 },
      { path: 'shop/total.py', startLine: 1, endLine: 2 },
    ],
    1_000,
    { reader },
  )
  const lines = splitLines(reader.fileText('evaluated', 'shop/long.py') ?? '')
  const spent = (last: number) => lines.slice(450, last).reduce((sum, line) => sum + countTokens(`${line}\n`), 0)
  t.ok(only !== undefined && spent(only.endLine) <= 1_000 && spent(only.endLine + 1) > 1_000)
  t.same(rest, [])
})
