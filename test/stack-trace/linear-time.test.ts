import { test } from 'tap'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { processorMs } from '../helpers/processor-time.ts'

const BLANK = ' '.repeat(200_000)
const rows = (row: string): string => `${row}\n`.repeat(500)

/** Each took 4 to 25 seconds when an expression looked for the end of a run from every place in it. */
const TEXTS = new Map([
  [
    'a report with a long blank in a failure',
    `<testsuite name="a"><testcase classname="x" name="y"><failure message="m" type="T">a${BLANK}b\n` +
      ' at x (a.js:1:2)</failure></testcase></testsuite>',
  ],
  [
    'an event with a long blank in its message',
    JSON.stringify({ level: 'error', message: `Error: a${BLANK}b\n    at x (/a/b.js:1:2)` }),
  ],
  ['lines drawn of box characters', rows(`┌${'─'.repeat(3_900)}`)],
  ['rows of a profile with many tabs', rows(`#\t0x1\ta+0x1${'\t'.repeat(3_900)}x`)],
])

for (const [what, text] of TEXTS) {
  test(`${what} costs no more than its length`, async t => {
    const started = processorMs()
    parseStackTrace(text)
    t.ok(processorMs() - started < 2_000, `${Math.round(processorMs() - started)} ms`)
  })
}
