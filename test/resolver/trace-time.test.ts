import { test } from 'tap'
import { traceTime } from '../../src/resolver/trace-time.ts'

const timeIn = (text: string) => traceTime(text)?.toISOString() ?? null

const CASES: Array<[string, string, string | null]> = [
  ['a logger of Python', '2026-03-01 12:30:01,123 ERROR shop failed', '2026-03-01T12:30:01.000Z'],
  ['a CI', '2026-03-01T12:30:01.1234567Z Traceback (most recent call last):', '2026-03-01T12:30:01.000Z'],
  ['a container', 'web-1  | [2026-03-01 12:30:01 +0200] [7] [ERROR] x', '2026-03-01T10:30:01.000Z'],
  ['Go', '2026/03/01 12:30:01 panic', '2026-03-01T12:30:01.000Z'],
  ['JSON', '{"level":"error","time":"2026-03-01T12:30:01+01:00","msg":"x"}', '2026-03-01T11:30:01.000Z'],
  ['none', 'Traceback (most recent call last):\nValueError: no', null],
  ['a date in a message', "ValueError: time data '2019-03-01 12:30:01' does not match", null],
  ['no date of any calendar', '2026-99-01 12:30:01 x', null],
]

for (const [name, text, expected] of CASES) {
  test(`the time of a crash is read as ${name} prints it`, async t => {
    t.equal(timeIn(text), expected)
  })
}

test('of several times the latest counts', async t => {
  t.equal(
    timeIn('2026-03-01 12:00:00 a\n2026-03-02 12:00:00 b\nError: x\n2026-03-01 13:00:00 c'),
    '2026-03-02T12:00:00.000Z',
  )
})

test('a long log is looked at from both ends', async t => {
  const filler = '- - - - - - | | | 2026-03-01 12:00 -\n'.repeat(280_000)
  t.equal(timeIn(`2026-03-01 12:00:00 begin\n${filler}2026-03-01 12:20:00 end`), '2026-03-01T12:20:00.000Z')
  t.equal(timeIn('2026-03-01 '.repeat(1_000_000)), null)
})
