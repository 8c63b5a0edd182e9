import { test } from 'tap'
import { parseStackTrace } from '../../../src/stack-trace/parse.ts'
import { unwrapLines } from '../../../src/stack-trace/layout/unwrap.ts'
import { countedReads } from '../../helpers/counted.ts'
import { LONG_TRACES } from '../../helpers/long-traces.ts'

const wrapped = (text: string, width: number): string =>
  text
    .split('\n')
    .flatMap(line => line.match(new RegExp(`.{1,${width}}`, 'g')) ?? [''])
    .join('\n')
const frames = (text: string) =>
  parseStackTrace(text).frames.map(({ file, line, column, function: name }) => [file, line, column, name])
const types = (text: string) => parseStackTrace(text).exceptions.map(({ type }) => type)

for (const [runtime, text] of LONG_TRACES) {
  test(`a trace of ${runtime} keeps files, lines, functions and the error's name at every width from 60 to 132`, async t => {
    const [wanted, errors] = [frames(text), types(text)]
    t.ok(wanted.length > 1)
    for (let width = 60; width <= 132; width++) {
      t.same(frames(wrapped(text, width)), wanted, `${width} columns`)
      t.same(types(wrapped(text, width)), errors, `${width} columns`)
    }
  })
}

test('a name that the width broke gets no space, and a block that a mail broke keeps its', async t => {
  const row = '/srv/shop/releases/20260401/app/models/order.rb:12:in `process_all_ord'
  t.same(unwrapLines([row, "ers': no till (KeyError)"])?.lines, [`${row}ers': no till (KeyError)`])
  const block = '\tfrom /srv/shop/releases/20260401/app/models/order.rb:12:in `block in'
  t.same(unwrapLines([block, "checkout'"])?.lines, [`${block} checkout'`])
})

test('lines of one width that never become a row are looked at a few times each', async t => {
  const width = 40
  const broken = ['    at open (/srv/till/'.padEnd(width, 'a'), 'till.js:1:2)']
  for (const unit of ['a', 'a.', './', '"/a', ' in /a', ' <', 'PHP Error: in /a', 'a:1:in `']) {
    const line = unit.repeat(width).slice(0, width)
    const { items, reads } = countedReads([...broken, ...new Array<string>(10_000).fill(line)])
    t.ok(unwrapLines(items) !== null)
    t.ok(reads() < 8 * items.length, `${reads()} of ${JSON.stringify(unit)}`)
  }
})
