import { test } from 'tap'
import { cleanText } from '../../src/stack-trace/layout/clean.ts'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'
import { stampLength } from '../../src/core/log-stamps.ts'

const STAMPS = [
  '2026-11-21T22:20:01Z ',
  '2026-11-21 22:20:01,123 ',
  '[2026-11-21 22:20:01.123456 +0000] ',
  '2026/11/21 22:20:01 ',
  '20261121T222001Z ',
  '[22:20:01] ',
  '10:20:01.123 PM ',
  '11/21/2026 10:20:01 PM ',
  '21-Nov-2026 22:20:01.123 ',
  '[21/Nov/2026:22:20:01 +0000] ',
  'Nov 21 22:20:01 host app[12]: ',
  'Nov 21 22:20:01 host kernel: ',
  'Nov 21, 2026 10:20:01 PM ',
  '[Sat Nov 21 22:20:01.123456 2026] ',
  'I1121 22:20:01.000000   12 a.go:3] ',
  '11-21 22:20:01.123  12  13 E Tag: ',
  'E/Tag( 12): ',
  '[   12.345678] ',
  '2026-11-21T22:20:01Z stderr F ',
  '2026-11-21T22:20:01.1Z 00O ',
  '2026-11-21T22:20:01+00:00 app[web.1]: ',
  '[Sat Nov 21 22:20:01.1 2026] [php:error] [pid 12] [client 10.0.0.1:5] ',
]

test('timestamps of all usual shapes go, with what their writers put behind them', async t => {
  for (const stamp of STAMPS) t.equal(stampLength(`${stamp}  File "a"`, false), stamp.length, stamp)
})

test('numbers, codes and names at the start of a line are no timestamps', async t => {
  for (const line of [
    '12 | code',
    '1.2.3',
    'error[E0308]: x',
    '12:30 lunch',
    '2026-11-21',
    'Mar is a month',
    'IPython 8',
    '[1] 1234',
    'at 10:00:00',
    '1763763601 x',
  ]) {
    t.equal(stampLength(line, false), 0, line)
  }
})

test('seconds since 1970 go where several lines have them', async t => {
  t.same(cleanText('1763763601 a\n1763763602.5 b').lines, ['a', 'b'])
  t.same(cleanText('1763763601 a\nb').lines, ['1763763601 a', 'b'])
})

test('a column that a viewer of logs draws behind the time goes with it', async t => {
  const { exceptions, frames } = parseStackTrace(
    '2022-01-11 20:54:51 | TypeError: no till\n2022-01-11 20:54:51 | at open (/srv/till.js:1:2)\n' +
      '2022-01-11 20:54:51 | at run (/srv/main.js:3:4)\n',
  )
  t.same(
    exceptions.map(({ type, message }) => [type, message]),
    [['TypeError', 'no till']],
  )
  t.same(
    frames.map(({ function: name }) => name),
    ['run', 'open'],
  )
})
