import { test } from 'tap'
import { findPrivateKeys } from '../../../src/llm/redaction/redact-private-key.ts'
import { redact } from '../../../src/llm/redaction/redact.ts'

// Made up here from pieces, so that no scanner takes this file for a leak.
const LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKB'
const BEGIN = '-----BEGIN PRIVATE '.concat('KEY-----')
const END = '-----END PRIVATE '.concat('KEY-----')
const BODY = [LINE, LINE, 'AbCdEf==']
const KEY = [BEGIN, ...BODY, END, ''].join('\n')
const HIDDEN = '[redacted:private-key]'

test('the lines of a key go, the lines of the text stay', async t => {
  const { text, count } = redact(`before\n${KEY}after\n`)
  t.equal(count, 1)
  t.equal(text, `before\n${[BEGIN, HIDDEN, HIDDEN, HIDDEN, END].join('\n')}\nafter\n`)
})

test('a key in a string, and one that is cut off at either end, go as well', async t => {
  const lines = KEY.split('\n')
  for (const text of [
    `const key = "${KEY.replaceAll('\n', '\\n')}"`,
    KEY.slice(0, 100),
    lines.slice(0, 2).join('\n'),
    lines.slice(1).join('\n'),
    lines.slice(2).join('\n'),
  ]) {
    const { text: shown, count } = redact(text)
    t.notMatch(shown, LINE.slice(0, 20))
    t.equal(count, 1, text.slice(0, 40))
    t.equal(shown.split('\n').length, text.split('\n').length)
  }
})

test('each form of a private key goes', async t => {
  for (const kind of [
    ...['', 'RSA ', 'EC ', 'DSA ', 'OPENSSH ', 'ENCRYPTED '].map(kind => `${kind}PRIVATE KEY`),
    ...['PGP PRIVATE KEY BLOCK', 'OpenVPN Static key V1'],
  ]) {
    const text = [`-----BEGIN ${kind}-----`, ...BODY, `-----END ${kind}-----`].join('\n')
    t.same(redact(text), { text: text.replaceAll(LINE, HIDDEN).replace('AbCdEf==', HIDDEN), count: 1 }, kind)
  }
})

/** What stands in front of each line of a log. */
const WRITERS: Array<[what: string, prefix: (line: number) => string]> = [
  ['a time', line => `2026-11-03T10:11:${10 + line}.123Z `],
  ['a time and a level', line => `2026-11-03 10:11:${10 + line},123 ERROR shop.keys: `],
  ['compose', () => 'web-1  | '],
  ['compose, in colour', () => '\u001B[36mweb-1  |\u001B[0m '],
  ['compose and a time', line => `web-1  | 2026-11-03T10:11:${10 + line}Z `],
  ['kubectl', () => '[pod/web-7d9f/app] '],
  ['journald', line => `Nov 03 10:11:${10 + line} host-1 shop[1234]: `],
  ['a container runtime', line => `2026-11-03T10:11:${10 + line}.123456789Z stdout F `],
  ['GitHub Actions', line => `test\tRun npm test\t2026-11-03T10:11:${10 + line}.1234567Z `],
  ['GitLab', line => `2026-11-03T10:11:${10 + line}.123456Z 01O `],
  ['our own contexts', line => `${line === 1 ? '>>> ' : '    '}${line + 10} | `],
  ['quotation', () => '> '],
  ['a diff', () => '+'],
  ['an unknown logger', () => '<<keys>> dump '],
]

for (const [what, prefix] of WRITERS) {
  test(`behind the prefix of ${what} the lines of a key go, and the prefixes stay`, async t => {
    const lines = [BEGIN, ...BODY, END, 'done']
    const text = lines.map((line, index) => prefix(index) + line).join('\n')
    const expected = [BEGIN, HIDDEN, HIDDEN, HIDDEN, END, 'done'].map((line, index) => prefix(index) + line).join('\n')
    t.equal(redact(text).text, expected)
  })
}

test('lines of others between those of a key stay', async t => {
  const lines = [BEGIN, LINE, 'LOG:  checkpoint complete', LINE, 'GET /health 200', 'AbCdEf==', END, 'password reset']
  const text = lines.map((line, index) => `${[2, 4].includes(index) ? 'db-1 ' : 'web-1'} | ${line}`).join('\n')
  t.equal(redact(text).text, text.replaceAll(LINE, HIDDEN).replace('AbCdEf==', HIDDEN))
})

test('in a message that was made one line, the whole key goes', async t => {
  for (const lineBreak of ['\\n', '\\\\n', '\\r\\n', '\\u000A', '#012', '%0A', '&#10;', '<br>', ' ']) {
    const text = `Error: bad key ${KEY.trimEnd().replaceAll('\n', lineBreak)} in config`
    const expected = [BEGIN, HIDDEN, HIDDEN, HIDDEN, END].join(lineBreak)
    t.equal(redact(text).text, `Error: bad key ${expected} in config`)
  }
})

test('each line of a structured log holds one line of a key', async t => {
  for (const before of ['{"log":"', '{"time":"2026-11-03T10:11:12Z","level":"error","msg":"']) {
    const text = KEY.trimEnd()
      .split('\n')
      .map(line => `${before}${line}\\n","stream":"stdout","pid":12}`)
      .join('\n')
    t.equal(redact(text).text, text.replaceAll(LINE, HIDDEN).replace('AbCdEf==', HIDDEN))
    t.doesNotThrow(() =>
      redact(text)
        .text.split('\n')
        .map(line => JSON.parse(line) as unknown),
    )
  }
})

test('a line is told to be of a key by its length, its digits and its letters', async t => {
  const found = (line: string): number => findPrivateKeys(`${BEGIN}\n${line}`).count
  t.equal(found(`aB1cd2${'e'.repeat(14)}`), 1, 'twenty signs with two numbers')
  t.equal(found(`aB1cd2${'e'.repeat(13)}`), 0)
  t.equal(found(`aB1${'c'.repeat(37)}`), 1, 'forty with one')
  t.equal(found(`aB1${'c'.repeat(36)}`), 0)
  t.equal(found(`aB${'c'.repeat(60)}`), 0, 'no number')
  t.equal(found(`xy1${'z'.repeat(60)}2`), 0, 'no capital, and not hexadecimal')
  t.equal(found('0123456789abcdef'.repeat(4)), 1)
})

test('a key that is cut off may begin in the line of its BEGIN, right behind it', async t => {
  for (const lineBreak of [' ', '\\n', '\n']) {
    const text = `bad key ${BEGIN}${lineBreak}${LINE}`
    t.same(redact(text), { text: text.replace(LINE, HIDDEN), count: 1 }, JSON.stringify(lineBreak))
  }
  t.equal(redact(`${BEGIN} was in ${LINE}`).text.includes(LINE), true, 'behind words it is something else')
})

test('up to eight lines of headers may stand before the lines of a key', async t => {
  const withHeaders = (count: number): string =>
    [BEGIN, ...new Array<string>(count).fill('Proc-Type: 4'), LINE].join('\n')
  t.notMatch(redact(withHeaders(8)).text, LINE)
  t.match(redact(withHeaders(9)).text, LINE)
})

test('what only speaks of keys is none', async t => {
  for (const text of [
    `if (text.startsWith('${BEGIN}')) return true\n`,
    `const pem = '${BEGIN}\\n' + base64EncodedPrivateKeyOfTheServer + '\\n${END}'`,
    `${BEGIN}\n\${privateKey}\n${END}\nimport com/example/shop/internal/service/OrderServiceImpl\n`,
    `${BEGIN}\n...\n${END}`,
    `the block ends with\n${END}\n`,
    `'${BEGIN}'\n${'const a = 1\n'.repeat(30)}const sum = '0123456789abcdef0123456789abcdef'\n`,
  ]) {
    t.same(findPrivateKeys(text), { parts: [], count: 0 }, text)
  }
})
