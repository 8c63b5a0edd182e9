import { test } from 'tap'
import fc from 'fast-check'
import { applyEdits } from '../../../src/edits/apply/apply-edits.ts'
import { readReply } from '../../../src/edits/read/read-reply.ts'
import { redact } from '../../../src/llm/redaction/redact.ts'
import { runs } from '../../helpers/property-runs.ts'
import { diffOf, fenced, of } from '../../helpers/reply-cases.ts'

const shown = (text: string): string => redact(text).text
const [DEV, LIVE] = ['hunter2Kx9', 'v3ry-Secr3t']
const ONE = `host = "a"\npassword = "${DEV}"\nport = 1\n`
const TWO = `[dev]\npassword = "${DEV}"\nport = 1\n\n[live]\npassword = "${LIVE}"\nport = 2\n`
const KEY =
  'NAME=x\n-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7\n' +
  'VJTUt9Us8cKjMzEfYyjiWA4R4sM2bS1GB4t7NXp98C3SC6dVMvDuictG\n-----END PRIVATE KEY-----\nLEVEL=1\n'
const HIDDEN = 'password = "[redacted:password]"'
const PROSE = 'It writes "[redacted:password]".\n'
const MORE_PROSE = `${PROSE}Or "[redacted:password]" twice.\n`

const crlf = (text: string): string => text.replaceAll('\n', '\r\n')
const block = (text: string): string => `f.txt\n\n${fenced(text, '')}`

function apply(before: string, reply: string): { after: string; rejected: string[] } {
  const outcome = applyEdits(new Map([['f.txt', before]]), readReply(reply), { redact: shown })
  return {
    after: outcome.changed.get('f.txt') ?? before,
    rejected: outcome.rejected.map(({ detail }) => detail),
  }
}

test('lines of a file that the model was shown without their secrets get them back', async t => {
  const moved = `[live]\npassword = "${LIVE}"\nport = 2\n\n[dev]\npassword = "${DEV}"\nport = 1\n`
  const cases: Array<[name: string, before: string, reply: string, after: string]> = [
    ['a whole file', ONE, block(shown(ONE).replace('1', '8')), ONE.replace('port = 1', 'port = 8')],
    ['the file as it was sent', ONE, block(shown(ONE)), ONE],
    ['another indentation', ONE, block(`host = "a"\n  ${HIDDEN}\nport = 1\n`), ONE.replace('pass', '  pass')],
    ['lines that neighbours tell apart', TWO, block(shown(TWO).replace('= 2', '= 3')), TWO.replace('= 2', '= 3')],
    ['sections in another order', TWO, block(shown(moved)), moved],
    ['the lines of a key', KEY, block(shown(KEY).replace('LEVEL=1', 'LEVEL=2')), KEY.replace('=1', '=2')],
    ['CRLF', crlf(ONE), block(shown(ONE).replace('"a"', '"b"')), crlf(ONE.replace('"a"', '"b"'))],
    [
      'context',
      ONE,
      diffOf(`@@ -1,3 +1,3 @@\n host = "a"\n ${HIDDEN}\n-port = 1\n+port = 8\n`),
      ONE.replace('port = 1', 'port = 8'),
    ],
    ['a removed line', ONE, diffOf(`@@ -1,3 +1,2 @@\n host = "a"\n-${HIDDEN}\n port = 1\n`), 'host = "a"\nport = 1\n'],
    [
      'a line that is removed and added again',
      TWO,
      diffOf(`@@ -5,3 +5,3 @@\n [live]\n-${HIDDEN}\n-port = 2\n+port = 2\n+${HIDDEN}\n`),
      `[dev]\npassword = "${DEV}"\nport = 1\n\n[live]\nport = 2\npassword = "${LIVE}"\n`,
    ],
    ['a placeholder of the file itself', PROSE, block(MORE_PROSE), MORE_PROSE],
  ]
  for (const [name, before, reply, after] of cases) {
    t.same(apply(before, reply), { after, rejected: [] }, name)
  }
})

test('a placeholder is never written in place of a secret', async t => {
  const cases: Array<[name: string, before: string, reply: string]> = [
    ['a changed line', ONE, block(shown(ONE).replace(HIDDEN, `${HIDDEN} # for ever`))],
    ['another name', ONE, block(shown(ONE).replace('password =', 'passwd ='))],
    ['an added line', ONE, diffOf(`@@ -3 +3,2 @@\n port = 1\n+db_${HIDDEN}\n`)],
    ['one of two lines without neighbours', TWO, diffOf(`@@ -2 +2 @@\n-${HIDDEN}\n+x = 1\n`)],
    ['a copy for a new section', TWO, diffOf(`@@ -4,2 +4,4 @@\n \n+[test]\n+${HIDDEN}\n [live]\n`)],
    ['a section in between', TWO, block(shown(TWO).replace('\n[live]', `\n[test]\n${HIDDEN}\nport = 3\n\n[live]`))],
    ['a section twice', TWO, block(`[dev]\n${HIDDEN}\nport = 1\n\n${shown(TWO)}`)],
    ['a file without secrets', 'a = 1\n', block(`a = 1\n${HIDDEN}\n`)],
    ['a file that has both', `${ONE}${PROSE}`, block(`${shown(ONE)}${PROSE}x${HIDDEN}\n`)],
  ]
  for (const [name, before, reply] of cases) {
    const { after, rejected } = apply(before, reply)
    t.equal(after, before, name)
    t.match(rejected, [/^The line ".*\[redacted:password\].*" holds a placeholder for a secret/], name)
  }
  for (const reply of [
    `new.txt\n\n${fenced(HIDDEN, '')}`,
    fenced(`--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+${HIDDEN}\n`),
  ]) {
    const { changed, rejected } = applyEdits(new Map(Object.entries(of(ONE))), readReply(reply), { redact: shown })
    t.equal(changed.size, 0)
    t.match(rejected, [{ path: 'new.txt', detail: /holds a placeholder/ }])
  }
})

test('thousands of lines that look alike are refused before they cost too much', async t => {
  const many = Array.from({ length: 3000 }, (_, i) => `password = "hunter${i}Kx9"\n`).join('')
  const { after, rejected } = apply(many, block(`${shown(many)}x = 1\n`))
  t.equal(after, many)
  t.match(rejected, [/too much looking through/])
})

test('property: a file that comes back with one line changed differs in that line alone', async t => {
  const word = fc.stringMatching(/^[a-z]{3,8}$/)
  const password = fc.stringMatching(/^[a-z]{4}[0-9]{3}[A-Z]{3}[a-z0-9]{4}$/)
  const plain = fc.tuple(word, fc.nat(999)).map(([name, value]) => `${name} = ${value}`)
  const secret = fc.oneof(
    fc.tuple(word, password).map(([name, value]) => `${name}_password = "${value}"`),
    password.map(value => `password = "${value}"`),
    fc.tuple(word, password).map(([host, value]) => `url = "postgres://app:${value}@${host}/db"`),
  )
  const section = fc
    .tuple(word, fc.array(plain, { maxLength: 3 }), fc.array(secret, { maxLength: 3 }))
    .map(([name, before, after]) => [`[${name}]`, ...before, ...after, ''])
  const file = fc.array(fc.oneof(section, fc.constant(KEY.trim().split('\n'))), { minLength: 1, maxLength: 6 })
  let written = 0
  let all = 0
  fc.assert(
    fc.property(file, fc.nat(), fc.constantFrom('\n', '\r\n'), (sections, pick, end) => {
      const lines = ['title = 1', ...sections.flat(), 'last = 1']
      const before = lines.map(line => `${line}${end}`).join('')
      const seen = shown(before).split(end)
      const open = lines.flatMap((line, at) => (line !== '' && seen[at] === line ? [at] : []))
      const at = open[pick % open.length] ?? 0
      const change = (texts: readonly string[]): string[] =>
        texts.map((line, i) => (i === at ? 'changed = "yes"' : line))
      const { after, rejected } = apply(before, block(change(seen).join('\n')))
      all++
      if (rejected.length > 0) return after === before && rejected.every(reason => reason.includes('placeholder'))
      written++
      return (
        after ===
        change(lines)
          .map(line => `${line}${end}`)
          .join('')
      )
    }),
    { numRuns: runs(2000) },
  )
  t.ok(written > all * 0.8, `${written} of ${all} were applied`)
})
