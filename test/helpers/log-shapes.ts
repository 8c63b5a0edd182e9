import { readTrace, traceNames } from './trace-fixtures.ts'

/** What stands at a position of a long text, so that each piece may differ from the others. */
interface Piece {
  (at: number): string
  /** What the whole ends with; then no piece is cut. */
  end?: string
}

const two = (at: number): string => String(at % 60).padStart(2, '0')
const stamp = (at: number): string => `2026-11-21T22:${two(at >> 6)}:${two(at)}.${String(at % 1000).padStart(3, '0')}Z`
const entry = (at: number, text: string): string => `${stamp(at)} ${text}\n`
const hex = (at: number): string => at.toString(16).padStart(12, '0')

const pythonTrace: Piece = at =>
  `Traceback (most recent call last):\n  File "/srv/app/shop.py", line ${at % 997}, in pay\n` +
  `    return total(lines)\n  File "/srv/app/cart.py", line ${at % 89}, in total\n` +
  `    return sum(price(line) for line in lines)\nKeyError: 'item ${at}'\n`
const nodeTrace: Piece = at =>
  `TypeError: item ${at} is undefined\n    at total (/srv/app/cart.js:${at % 997}:21)\n` +
  `    at async pay (/srv/app/shop.js:${at % 89}:3)\n` +
  '    at process.processTicksAndRejections (node:internal/process/task_queues:104:5)\n'
const javaTrace: Piece = at =>
  `java.lang.IllegalStateException: item ${at}\n\tat com.acme.shop.Cart.total(Cart.java:${at % 997})\n` +
  `\tat com.acme.shop.Shop.pay(Shop.java:${at % 89})\nCaused by: java.io.IOException: closed\n` +
  '\t... 2 more\n'
const ended = (end: string, piece: Piece): Piece => Object.assign(piece, { end })
const lines =
  (...kinds: string[]): Piece =>
  at =>
    `${kinds[at % kinds.length] ?? ''}\n`
const kept = [...traceNames()]

/** Long logs as they come: what the parser has to be quick at. */
const LOGS: ReadonlyArray<[name: string, piece: Piece]> = [
  ['log without a trace', at => entry(at, `INFO shop.api request ${at} took ${at % 300} ms from 10.0.0.${at % 255}`)],
  [
    'log with a trace in it now and then',
    at => entry(at, at % 50 === 0 ? `ERROR shop.api failed\n${pythonTrace(at)}` : `INFO shop.api request ${at} done`),
  ],
  ['log of places in files', at => entry(at, `INFO shop.py:${at % 997} request ${at} done`)],
  ['log of failures with places in files', at => entry(at, `ERROR request ${at} failed at shop.py:${at % 997}`)],
  ['every kept trace', at => `${readTrace(kept[at % kept.length] ?? '')}\n`],
  ['distinct Python traces', at => `${pythonTrace(at)}\n`],
  ['distinct V8 traces', at => `${nodeTrace(at)}\n`],
  ['distinct JVM traces', at => `${javaTrace(at)}\n`],
  ['the same trace again and again', () => pythonTrace(1)],
  ['two containers in turns', at => `${at % 2 === 0 ? 'web-1' : 'job-12'}  | ${entry(at, `line ${at}`)}`],
  ['a container for each line', at => `web-${at % 50_000}  | ${entry(at, `line ${at}`)}`],
  [
    'events of JSON with an escaped trace each',
    at => `${JSON.stringify({ level: 50, time: 1763763600000 + at, msg: 'failed', err: { stack: nodeTrace(at) } })}\n`,
  ],
  [
    'events of JSON without a trace',
    at =>
      `${JSON.stringify({ level: 30, time: 1763763600000 + at, msg: 'request done', req: { method: 'GET', url: `/orders/${at}` }, ms: at % 300 })}\n`,
  ],
  [
    'pieces of a log in JSON',
    at =>
      `${JSON.stringify({ log: `${pythonTrace(at).split('\n')[at % 6] ?? ''}\n`, stream: 'stderr', time: stamp(at) })}\n`,
  ],
  [
    'one JSON list of events',
    ended(']', at => `${at === 0 ? '[' : ','}${JSON.stringify({ message: 'failed', stack: nodeTrace(at) })}`),
  ],
  [
    'one JSON event with a long text',
    ended('"}', at => `${at === 0 ? '{"message":"failed","stack":"' : ''}${nodeTrace(at).replaceAll('\n', '\\n')}`),
  ],
  [
    'a report of tests in XML',
    ended(
      '</testsuite></testsuites>',
      at =>
        `${at === 0 ? '<?xml version="1.0"?>\n<testsuites><testsuite name="shop">\n' : ''}<testcase ` +
        `classname="shop" name="test ${at}"><failure message="item ` +
        `${at}">${pythonTrace(at).replaceAll('"', '&quot;')}</failure></testcase>\n`,
    ),
  ],
  [
    'a report of tests in one line of XML',
    ended(
      '</testsuite>',
      at =>
        `${at === 0 ? '<testsuite>' : ''}<testcase name="t${at}"><failure ` +
        `message="x"><![CDATA[${nodeTrace(at).replaceAll('\n', '&#10;')}]]></failure></testcase>`,
    ),
  ],
  ['a web page', at => `<div class="line">${nodeTrace(at).replaceAll('\n', '<br>').replaceAll(' ', '&nbsp;')}</div>`],
  ['a mail of a mail of a mail', at => pythonTrace(at).replace(/^/gm, '> > > ')],
  [
    'traces behind long prefixes',
    at => nodeTrace(at).replace(/^(?=.)/gm, `web-1  | ${stamp(at)} app[${at % 997}]: [pod/shop/api] `),
  ],
  [
    'traces of a terminal of 80 columns',
    at =>
      `Traceback (most recent call last):\n${(
        '  File "/srv/app/a/very/long/path/of/folders/that/is/longer/than/the/terminal/shop.py", line ' +
        `${at % 997}, in pay`
      ).replace(/(.{80})/g, '$1\n')}\nKeyError: ${at}\n`,
  ],
  [
    'traces in colours',
    at => nodeTrace(at).replaceAll('at ', '\u001B[90mat\u001B[39m ').replaceAll('.js', '.js\u001B[0m'),
  ],
  ['one line with its breaks written out', at => nodeTrace(at).replaceAll('\n', '\\n')],
  ['lines with their breaks written out', at => `error="${nodeTrace(at).replaceAll('\n', '\\n')}"\n`],
  ['lines with their breaks in percents', at => `error=${encodeURIComponent(nodeTrace(at))}\n`],
  ['lines with their breaks as syslog writes them', at => `app[1]: ${pythonTrace(at).replaceAll('\n', '#012')}\n`],
  [
    'a dump of Java threads',
    at =>
      `"worker-${at}" #${at} prio=5 os_prio=0 tid=0x${hex(at)} nid=0x1 waiting on condition\n` +
      '   java.lang.Thread.State: WAITING (parking)\n\tat jdk.internal.misc.Unsafe.park(Native Method)\n' +
      `\t- parking to wait for  <0x${hex(at)}>\n\tat com.acme.shop.Worker.run(Worker.java:${at % 997})\n\n`,
  ],
  [
    'a dump of goroutines',
    at =>
      `${at === 0 ? 'panic: shop\n\n' : ''}goroutine ${at} [chan receive, 3 minutes]:\n` +
      `main.(*Shop).pay(0xc000${hex(at)}, 0x1)\n\t/srv/app/shop.go:${at % 997} +0x1d\n` +
      'created by main.main in goroutine 1\n\t/srv/app/main.go:12 +0x5\n\n',
  ],
  [
    'native stacks of threads',
    at =>
      `Thread ${at} (Thread 0x7f${hex(at)} (LWP ${at})):\n` +
      `#0  0x0000${hex(at)} in poll () from /lib/libc.so.6\n` +
      `#1  0x0000${hex(at)} in acme::Shop::pay (this=0x1, lines=...) at /srv/app/shop.cpp:${at % 997}\n\n`,
  ],
  [
    'diagnostics of compilers',
    at =>
      `src/shop.c:${at % 997}:5: error: unknown type name 'line${at}'\n   ${at % 997} |     line x;\n` +
      '      |     ^~~~\n',
  ],
  [
    'lists of linters',
    at =>
      `/srv/app/src/file-${at}.js\n  ${at % 997}:5  error  'x' is not defined  no-undef\n` +
      '  12:1  warning  Unexpected console statement  no-console\n\n',
  ],
  ['frames of one trace', at => `    at f${at} (/srv/app/file-${at % 50}.js:${at}:5)\n`],
]

/** Rows that begin something and never end it, or nearly match: a reader that looks too far at each is quadratic. */
const HOSTILE: ReadonlyArray<[name: string, piece: Piece]> = [
  ['V8 frames that open', lines('    at f (/a.js:1:2) {')],
  ['places above nothing', lines('/a.js:1', '', '')],
  ['heads of V8 errors', lines('Error: a', '')],
  ['properties of errors', lines('  [cause]: Error: x')],
  ['lists of errors', lines('[AggregateError: m] {', '  [errors]: [')],
  ['members of errors that open', at => `${' '.repeat(at % 40)}[errors]: [ Error: x\n    at f (/a.js:1:2) {\n`],
  ['heads of Python traces', lines('x: Traceback (most recent call last):')],
  ['rows of Python', lines('  File "a.py", line 1, in f', '    x')],
  [
    'links of Python',
    lines(
      'The above exception was the direct cause of the following exception:',
      '',
      'Traceback (most recent call last):',
    ),
  ],
  ['heads of exception groups', lines('  + Exception Group Traceback (most recent call last):')],
  [
    'deep exception groups',
    at =>
      `${'  | '.repeat(1 + (at % 200))}+ Exception Group Traceback (most recent call last):\n` +
      `${'    '.repeat(at % 200)}  +-+---------------- 1 ----------------\n`,
  ],
  ['rows of pytest', lines('E   KeyError: 1')],
  ['marked rows of pytest', lines('>       pay(1)', 'E       KeyError: 1', '', 'shop.py:3: in pay')],
  ['titles of pytest', lines('____________ test_pay ____________', 'shop.py:3: KeyError')],
  ['arrows of notebooks', lines('---> 12 x', 'File a.py:3, in f', 'Cell In[1], line 2')],
  ['rows of gdb', at => `#${at}  f (a=1,\n`],
  ['rows of gdb that go on', at => `#${at % 100}  f (a=1,\n    b=2,\n    c=3,\n`],
  ['rows of gdb without a place', at => `#${at}  0x0000${hex(at)} in ?? ()\n`],
  ['rows of sanitizers', at => `    #${at % 20} 0x${hex(at)} in f (/srv/app/shop+0x${hex(at)})\n`],
  ['rows of addr2line', lines('?? ??:0', '_start at ??:?')],
  ['rows of glog', at => `    @ 0x${hex(at)} (unknown)\n`],
  ['brackets of native rows', at => `#1 0x1 in f (${' (a'.repeat(20)} + ${at}0x1)\n`],
  ['templates of native rows', () => `#1 0x1 in ${'std::map<int, '.repeat(20)} f (a=1) at b.cpp:1\n`],
  ['heads of goroutines', lines('goroutine 1 [running]:', 'panic: x', 'fatal error: y')],
  ['fatal errors', lines('fatal error: x')],
  ['rows of Go without a place', lines('main.f(...)', 'created by main.g', '\t/a.go:1')],
  ['races', lines('WARNING: DATA RACE', 'Write at 0x1 by goroutine 1:')],
  [
    'heads of Java threads',
    lines('"main" #1 prio=5 tid=0x1', '   java.lang.Thread.State: RUNNABLE', '\t- locked <0x1>'),
  ],
  ['causes of the JVM', lines('Caused by: a.b.Oops: x', '\t... 3 more', 'Suppressed: a.b.C: y')],
  ['frames of the JVM in turns', lines('\tat a.b.C.d(C.java:1)', 'x')],
  ['inner exceptions of .NET', lines(' ---> A.Exception: x', '   --- End of inner exception stack trace ---')],
  ['groups of .NET', lines('---> (Inner Exception #0) A.Exception: y', '   at A.B(Int32 c) in C:\\a.cs:line 1', '')],
  [
    'panics of Rust',
    lines("thread 'main' panicked at src/a.rs:1:2:", 'stack backtrace:', '   0: a::b', '             at ./a.rs:1:2'),
  ],
  ['first lines of Ruby', at => `a.rb:${at % 9}:in 'f': message ${at} (E)\n`],
  ['callers of Ruby', lines("\tfrom a.rb:1:in `f'", '')],
  ['causes of Ruby', lines('# ------------------', '# Caused by:', "# a.rb:1:in `f'")],
  ['rows of PHP', lines('#0 a.php(1): f()', 'Stack trace:', 'Next E: x in a.php:1')],
  ['warnings of PHP', lines('PHP Warning:  x in y in z', 'PHP Warning:  x in a.php on line 1')],
  ['places of Perl', lines(' x at a.pl line 1.', '\tmain::f(1) called at b.pl line 2')],
  ['messages of shells', at => `a.sh: line ${at}: x: command not found\n`],
  ['rows of Elixir', lines('** (RuntimeError) x', '    (shop 0.1.0) lib/a.ex:1: A.b/1')],
  [
    'rows of Dart',
    lines('#0      f (package:a/b.dart:1:2)', '<asynchronous suspension>', '══╡ EXCEPTION CAUGHT BY X ╞══'),
  ],
  ['rows of Swift', lines('0 f() + 1 in a at /b.swift:1:2', 'Thread 0 Crashed:', '0   shop 0x1 f + 1')],
  ['rows of browsers', lines('f@http://a/b.js:1:2', ' \u276F f a.js:1:2', '    in A (at a.js:1)', 'f@1:2')],
  ['rows of a component tree', lines('    in Cart (created by Shop)')],
  ['code with numbers', lines('> 12 | x', '     | ^', '--> a.rs:1:2')],
  [
    'contexts of compilers',
    lines('In file included from a.h:1,', '                 from b.h:2:', "a.c: In function 'f':"),
  ],
  ['notes of compilers', lines('a.c:1:2: note: x', 'a.c:1:2: error: x')],
  ['calls of CMake', lines('CMake Error at a.cmake:1 (f):', '  x', '', 'Call Stack (most recent call first):')],
  [
    'heads of all kinds in turns',
    lines(
      'Traceback (most recent call last):',
      'panic: x',
      'Error: y',
      'Caused by: a.b.Oops: x',
      '#0  f (a=1,',
      'E   KeyError',
      "thread 'main' panicked at a.rs:1:2:",
      '"main" #1 prio=5 tid=0x1',
      'goroutine 1 [running]:',
      '/a.js:1',
      '    at f (/a.js:1:2)',
      '  File "a.py", line 1, in f',
      'stack backtrace:',
      'Stack trace:',
    ),
  ],
  ['words of four letters', lines('sell', 'true', 'Got:')],
  ['words and empty lines', lines('sell', '')],
  ['margins', lines('> ', '| ', '  | ', '>>> ')],
  ['prefixes of prefixes', at => `${`web | ${stamp(at)} `.repeat(8)}x\n`],
  ['events that are no JSON', at => `x {"a": {"b": [${at}, "\\n  at f (a.js:1:2)"}\n`],
  ['line breaks in one JSON event', ended('"}', at => (at === 0 ? '{"stack":"' : '\\n'))],
  ['lists in one JSON event', ended(']', at => `${at === 0 ? '[' : ','}["a\\nb",[{}]]`)],
  [
    'JSON in JSON in JSON',
    at => `${JSON.stringify({ log: JSON.stringify({ log: JSON.stringify({ msg: nodeTrace(at) }) }) })}\n`,
  ],
  ['quotes that open', lines('error="a\\n  File "x', "'a\\n    at f (a.js:1:2)")],
  ['lines of just the width of a terminal', at => `    at ${'f'.repeat(60)} (/srv/${at % 10}\n`.padEnd(81, 'x')],
  ['places and nothing else', () => 'a.py:1 '],
  ['code points that are none', at => `\uD800\uDC00\uD800 ${at}\n`],
  ['lines with zero bytes', at => [...`  at f (a.js:${at % 9}:2)\n`].join('\0')],
  [
    'binary',
    at => String.fromCharCode(...Array.from({ length: 100 }, (_, index) => (at * 7919 + index * 104_729) % 0x10000)),
  ],
  [
    'bytes',
    at => String.fromCharCode(...Array.from({ length: 100 }, (_, index) => (at * 7919 + index * 104_729) % 0x100)),
  ],
]

const UNITS = [
  'x',
  ' ',
  'at ',
  'File "',
  '(',
  ':1',
  '\u001B[',
  '\u001B[31m',
  '\u001B]',
  '> ',
  '| ',
  '^',
  'Traceback (most recent call last):',
  '"',
  '.',
  '\0',
  '\uD800',
  '{"a":',
  '[',
  '\\n at b.c',
  '\\\\n',
  '&lt;',
  '<br>',
  '%0A',
  '<testcase>',
  'a.b.',
  'a/',
  '#0 f (',
  ' in a.php on line ',
  'Error: ',
  '\t',
  'a:1:2: ',
  ' ---> A: ',
  'web | ',
  '2026-11-21T22:20:01Z ',
]

export const LOG_SHAPES: ReadonlyMap<string, Piece> = new Map(LOGS)
export const HOSTILE_SHAPES: ReadonlyMap<string, Piece> = new Map(HOSTILE)
export const ONE_LINE_SHAPES: ReadonlyMap<string, Piece> = new Map(
  UNITS.map(unit => [`one line of ${JSON.stringify(unit)}`, () => unit]),
)

/** A text of `chars` characters of a shape. */
export function shapedText(piece: Piece, chars: number): string {
  const pieces: string[] = []
  for (let at = 0, length = 0; length < chars; at++) length += pieces[pieces.push(piece(at)) - 1]?.length ?? 0
  return piece.end === undefined ? pieces.join('').slice(0, chars) : `${pieces.slice(0, -1).join('')}${piece.end}`
}
