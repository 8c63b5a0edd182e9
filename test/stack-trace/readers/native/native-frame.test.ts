import { test } from 'tap'
import { nativeRow } from '../../../../src/stack-trace/readers/native/native-frame.ts'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { shown } from '../../../helpers/shown-trace.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('debuggers of Windows and other libraries', async t => {
  const rows: Array<[line: string, expected: object]> = [
    [
      '00 0019f8d8 00401234 app!main+0x12 [d:\\src\\main.cpp @ 42]',
      { function: 'main', file: 'd:\\src\\main.cpp', line: 42 },
    ],
    ['app.exe!acme::Cart::total(int n) Line 42\tC++', { function: 'acme::Cart::total', line: 42 }],
    [
      '#5    Source "/srv/main.cpp", line 12, in acme::sell(int)',
      { function: 'acme::sell', file: '/srv/main.cpp', line: 12 },
    ],
    [' 2# acme::sell(int) at /srv/main.cpp:12', { function: 'acme::sell', file: '/srv/main.cpp', line: 12 }],
  ]
  for (const [line, expected] of rows) t.match(nativeRow(line)?.frame, expected, line)
})

test('numbered lines of other tools are no rows', async t => {
  for (const line of [
    '#12 [3/5] RUN npm ci',
    '#0 /srv/a.php(12): f()',
    '#0 {main}',
    '#0      main (file:///a.dart:3:5)',
    '#1 fix the bug',
    '#0 [typeck] type-checking `main`',
    '# 12 things',
    '1. first',
    '@ 12:30',
    'at 0x is odd',
    '12# of 13',
  ]) {
    t.notOk(nativeRow(line)?.isSure === true && nativeRow(line)?.frame.file != null, line)
    t.same(
      readExceptions(line).filter(({ frames }) => frames.length > 1),
      [],
      line,
    )
  }
})

test('a row that names only its module has no function, a file without a line is still the file', async t => {
  t.match(nativeRow('    #0 0x7ffff4e609ea (/usr/lib64/libasan.so.0+0x119ea)'), {
    frame: { function: null, file: null },
  })
  t.match(
    nativeRow(
      '    #3 0x1 in void std::__invoke_impl<void, main::$_0>(std::__invoke_other, main::$_0&&) a.cpp (a.out+0xebbd5)',
    ),
    { frame: { function: 'std::__invoke_impl', file: 'a.cpp', line: null } },
  )
})

test('rows of WinDbg that were inlined have no addresses, those of a crash analysis four arguments', async t => {
  t.same(read('windbg-inlined')[0]?.frames.slice(-2), [
    'Volatile<unsigned long>::Load e:\\a\\_work\\335\\s\\src\\inc\\volatile.h:292',
    'VolatileLoad e:\\a\\_work\\335\\s\\src\\inc\\volatile.h:153',
  ])
  t.equal(read('windbg-inlined')[0]?.frames.length, 5)
  t.match(
    nativeRow(
      '00000098`a3f4f720 00007ff7`b5c04562     : 00000000`00000005 00000000`00000000 00000000`00000000 ' +
        '00000000`00000000 : WindowsTerminal!wWinMain+0x4c3',
    ),
    { frame: { function: 'wWinMain', file: null } },
  )
})

test('a path of Windows keeps its spaces', async t => {
  t.same(
    shown(
      ['#0 0x00401000 in sell C:\\My Shop\\main.cpp:12:3', '#1 0x00401100 in main C:\\My Shop\\main.cpp:30:1'].join(
        '\n',
      ),
    ),
    [{ head: 'root null: null', frames: ['C:\\My Shop\\main.cpp:30:1 main', 'C:\\My Shop\\main.cpp:12:3 sell'] }],
  )
})

test('a place that a symbolizer does not know is none', async t => {
  for (const place of ['??:0', '<null>:0', '/srv/a.c:7']) {
    const file = place.startsWith('/') ? '/srv/a.c' : null
    t.match(nativeRow(`#1  0x0000aa in shop::sell (n=1) at ${place}`)?.frame, { function: 'shop::sell', file }, place)
    t.match(nativeRow(`    #1 0xaa in shop::sell(int) ${place}`)?.frame, { function: 'shop::sell', file }, place)
  }
})

test('rows of PHP and of a build are not native', async t => {
  for (const line of ['#0 /srv/a.php(12): f()', '#12 [3/5] RUN a(b)', '#0 a.php(3): sell(1,']) {
    t.equal(nativeRow(line), null, line)
  }
  t.ok(nativeRow('#1 sell (n=1) at /srv/a.c:7'))
})
