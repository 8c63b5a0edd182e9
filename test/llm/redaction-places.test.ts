import fc from 'fast-check'
import { test } from 'tap'
import { redact } from '../../src/llm/redaction/redact.ts'
import { showLine } from '../../src/core/visible-text.ts'
import { runs } from '../helpers/property-runs.ts'
import { leakOf, PLANTED, type PlantedSecret } from '../helpers/secrets.ts'

const TRACE = [
  'Traceback (most recent call last):',
  '  File "/app/shop/orders.py", line 42, in place',
  '    total = price(item)',
  'shop.errors.ConfigError: cannot read the settings',
  'During handling of the above exception, another exception occurred:',
  'java.lang.IllegalStateException: no connection',
  '\tat com.example.shop.Orders.place(Orders.java:42)',
]
const FILE = ['import os', '', 'def connect(host, user):', '    return Pool(host, user)', '', '# settings', 'x = 1']
const PLAIN = (line: string): string => line

/** What stands before each line of a log. */
const PREFIXES: Array<(line: string, index: number) => string> = [
  PLAIN,
  (line, index) => `2026-11-03T10:11:${10 + index}.123Z ${line}`,
  (line, index) => `[2026-11-03 10:11:${10 + index}] ${line}`,
  line => `web-1  | ${line}`,
  line => `\u001B[33mweb-1  |\u001B[0m ${line}`,
  line => `[pod/web-7d9f/app] ${line}`,
  (line, index) => `Nov 03 10:11:${10 + index} host-1 shop[1234]: ${line}`,
  (line, index) => `test\tRun tests\t2026-11-03T10:11:${10 + index}.1234567Z ${line}`,
  (line, index) => `2026-11-03T10:11:${10 + index}.123456Z 00O ${line}`,
  (line, index) => `${String(index + 1).padStart(6)} | ${line}`,
  line => `> ${line}`,
]

/** How a text comes to lie in another one. */
const PACKINGS: Array<(text: string) => string> = [
  PLAIN,
  text => JSON.stringify(text),
  text => JSON.stringify({ level: 'error', msg: text }),
  text => JSON.stringify(JSON.stringify(text)),
  text => showLine(text),
  text => text.replaceAll('\n', '\r\n'),
  text => text.replaceAll('"', '&quot;'),
]

const COLOURS: Array<(text: string) => string> = [
  PLAIN,
  text => `\u001B[31m${text}\u001B[0m`,
  text => `\u001B[1;32m${text}`,
  text => `\u001B[38;5;208m${text}\u001B[m`,
  text => `\u200B${text}`,
  text => `\uFEFF${text}`,
]

/** A colour that begins in the middle of each secret, as a tool that marks what it searched for writes it. */
function colouredInside({ text, secrets }: PlantedSecret, at: number): string {
  return secrets.reduce((coloured, secret) => {
    const middle = 1 + (at % (secret.length - 1))
    return coloured.replace(secret, () => `${secret.slice(0, middle)}\u001B[1;31m${secret.slice(middle)}\u001B[0m`)
  }, text)
}

// eslint-disable-next-line no-control-regex -- terminals' own
const withoutColours = (text: string): string => text.replaceAll(/\u001B\[[\d;]*m/g, '')

/** The lines with the secret's between them, each with a colour where it begins. */
function planted(lines: readonly string[], text: string, at: number, colour: (text: string) => string): string[] {
  const inside = text.split('\n').map((line, index) => (index === 0 ? colour(line) : line))
  return [...lines.slice(0, at), ...inside, ...lines.slice(at)]
}

test('no secret is left wherever it stands in a trace, a log or a file, and no line is lost', async t => {
  const place = fc.record({
    secret: fc.constantFrom(...PLANTED),
    lines: fc.constantFrom(TRACE, FILE),
    at: fc.nat(7),
    prefix: fc.constantFrom(...PREFIXES),
    packing: fc.constantFrom(...PACKINGS),
    colour: fc.constantFrom(...COLOURS),
    inside: fc.boolean(),
    cut: fc.nat(60),
  })
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(place, ({ secret, lines, at, prefix, packing, colour, inside, cut }) => {
        const text = inside ? colouredInside(secret, cut) : secret.text
        const log = packing(planted(lines, text, at, colour).map(prefix).join('\n'))
        const { text: shown } = redact(log)
        const leak = leakOf(shown, secret) ?? leakOf(withoutColours(shown), secret)
        if (leak !== null) throw new Error(`${leak} is left of ${secret.kind} in ${JSON.stringify(log)}`)
        if (shown.split('\n').length !== log.split('\n').length) throw new Error(`lines were lost: ${log}`)
        if (redact(shown).text !== shown) throw new Error(`twice changes more: ${JSON.stringify(log)}`)
      }),
      { numRuns: runs(20_000) },
    ),
  )
})

test('what stands around a secret stays', async t => {
  for (const secret of PLANTED) {
    for (const prefix of PREFIXES) {
      const lines = planted(TRACE, secret.text, 3, PLAIN).map(prefix)
      const shown = redact(lines.join('\n')).text.split('\n')
      t.same(shown.slice(0, 3), lines.slice(0, 3), secret.kind)
      t.same(shown.slice(-4), lines.slice(-4), secret.kind)
    }
  }
})

test('behind a word in the middle of a line a token goes, too', async t => {
  for (const secret of PLANTED.filter(({ text }) => !text.includes('\n'))) {
    for (const [before, after] of [
      ['cannot use ', ' here'],
      ['cannot use \u001B[31m', '\u001B[0m here'],
      ['cannot use\\n', '\\nhere'],
    ]) {
      t.equal(leakOf(redact(`${before}${secret.text}${after}`).text, secret), null, `${before} ${secret.kind}`)
    }
  }
})
