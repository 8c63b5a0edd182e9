import fc from 'fast-check'
import { test } from 'tap'
import { redact } from '../../src/llm/redaction/redact.ts'
import { processorMs } from '../helpers/processor-time.ts'
import { runs, scaled, someOf } from '../helpers/property-runs.ts'

/** Beginnings and middles of what the rules look for, which hold them longest when nothing follows. */
const PIECES = [
  'eyJ',
  'eyJaaaaaaaaaaaa.',
  'sk-a',
  'password',
  'password=',
  'password="',
  'secret:"',
  '://a:',
  'a://',
  'postgres://a:',
  'jdbc:oracle:thin:',
  'pwd={',
  'login a ',
  'login a\npassword ',
  ' -u a:',
  '&sig=',
  '"d":"',
  'authorization: a ',
  'bearer ',
  'ghp_',
  'AKIA',
  'glpat-',
  'xoxb-',
  'hvs.',
  'ATATT3',
  '.atlasv1.',
  'AAAA',
  'dp.pt.',
  '-us1',
  'https://a.webhook.office.com/',
  'Private-Lines: 1\n',
  `${'-----BEGIN PRIVATE '}KEY-----\n`,
  ' 1 |',
  '+ ',
  '+',
  'Aa: ',
  '\\n',
  '=',
  ' ',
  '\n',
  '@',
  '/',
  ':',
  '"',
  "'",
  'a',
  'A1',
  '0',
  '-',
  '.',
  'token',
  'aws_secret_key:',
  '12345678:AA',
  'mysql -p',
  'mysql ',
  'curl -u a:',
  'sshpass -p ',
  'basic ',
  'LS0tLS1CRUdJTi',
  'DB_PASSWORD=',
  'A_',
  'ENV A_',
  'PASSWORD=',
  '<password>',
  '> ',
  'key="',
  "PASSWORD '",
  '--token ',
  '--a-',
  'auth="',
  '/:_auth=',
  'password="a ',
  'eyJaaaaaaaaaaa.',
  '\\',
  '\r',
  '\u001B[31m',
  '\u001B]',
  '\u001B',
  '\\u001B[',
  '\\"',
  '&quot;',
  '&',
  '%0A',
  '#012',
  '\nweb-1 | ',
  '\n2026-11-03T10:11:12Z ',
  '\n> ',
  '\n+',
  '[pod/a/b] ',
  '[1;1',
  'a\t',
  `${'-----END PRIVATE '}KEY-----`,
  `${'-----END PRIVATE '}KEY-----\n`,
  `${'-----BEGIN PRIVATE '}KEY-----`,
  'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF',
  'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7bC0eF\n',
  'password=abcd ',
]
const SMALL = 30_000
const TIMES = 8

function oneMeasure(text: string): number {
  const before = processorMs()
  redact(text)
  return processorMs() - before
}

/**
 * Milliseconds of this process's own work, which a busy machine does not change; the least of three, or the first that
 * is within the limit.
 */
function cpuMs(text: string, limit = 0): number {
  let least = Infinity
  for (let turn = 0; turn < 3 && least > limit; turn++) least = Math.min(least, oneMeasure(text))
  return least
}

test('eight times the text takes some eight times the time, whatever it is made of, and keeps its lines', async t => {
  redact(PIECES.join('').repeat(100)) // compiled before it is measured
  const unit = fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...PIECES).map(piece => [piece]) },
    { weight: 3, arbitrary: fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 4 }) },
  )
  t.doesNotThrow(() =>
    fc.assert(
      fc.property(fc.constantFrom('', ...PIECES), unit, (start, pieces) => {
        const one = pieces.join('')
        const grown = (length: number) => start + one.repeat(Math.ceil(length / one.length))
        const small = grown(SMALL)
        const large = grown(SMALL * TIMES)
        const smallMs = cpuMs(small)
        const limit = TIMES * 3 * Math.max(smallMs, 2)
        const largeMs = cpuMs(large, limit)
        if (largeMs > limit) {
          throw new Error(`${small.length} characters took ${smallMs} ms, ${large.length} took ${largeMs} ms`)
        }
        if (redact(large).text.split('\n').length !== large.split('\n').length) throw new Error('lines were lost')
      }),
      { numRuns: runs(60) },
    ),
  )
})

test('every piece alone, by the half megabyte', async t => {
  const limit = scaled(1_500)
  for (const piece of someOf(PIECES)) {
    const ms = cpuMs(piece.repeat(Math.ceil(scaled(500_000) / piece.length)), limit)
    t.ok(ms <= limit, `${JSON.stringify(piece)} took ${Math.round(ms)} ms`)
  }
})

test('five megabytes of the worst pieces take seconds, not minutes', async t => {
  for (const piece of ['curl -u a:', 'mysql -p', '/:_auth=', 'DB_PASSWORD=', 'eyJaaaaaaaaaaaa.', '://a:']) {
    const took = oneMeasure(piece.repeat(Math.ceil(scaled(5_000_000) / piece.length)))
    t.ok(took < scaled(10_000), `${JSON.stringify(piece)} took ${Math.round(took)} ms`)
  }
})
