import fc from 'fast-check'
import { test } from 'tap'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'
import { own, read } from './own-frames.ts'

const CHECKOUT = [
  'acme::Cart<acme::Line>::total cart.h:23',
  'acme::Cart<acme::Line>::each cart.h:28',
  'acme::Cart<acme::Line>::total cart.h:23',
].toReversed()

test('gdb: wrapped arguments, inlined calls without an address, the signal as the error', async t => {
  t.match(readTrace('gdb-13.1-null'), /\n {4}at \/srv\/app\/native\/cart\.h:23\n/)
  const [found] = read('gdb-13.1-null')
  t.equal(found?.head, 'root SIGSEGV: Segmentation fault')
  t.same(own(found?.frames)?.slice(-5), ['main main.cpp:71', 'acme::checkout cart.cpp:12', ...CHECKOUT])
  t.same(languagesOf(readTrace('gdb-13.1-null')), ['cpp'])
  t.same(read('gdb-13.1-c')[0]?.frames.slice(-2), ['compare plain.c:14', 'price_of plain.c:9'])
  t.same(languagesOf(readTrace('gdb-13.1-c')), ['c'])
})

test('gdb: locals between the rows, recursion, stripped programs, threads', async t => {
  t.same(own(read('gdb-13.1-full')[0]?.frames), own(read('gdb-13.1-null')[0]?.frames))
  t.same(own(read('gdb-13.1-recursion')[0]?.frames), ['main main.cpp:99', 'depth main.cpp:42 ×21'])
  t.same(read('gdb-13.1-stripped')[0]?.frames.slice(0, 2), ['main null:null', 'acme::checkout null:null'])
  t.equal(read('gdb-13.1-thrown')[0]?.head, 'root std::runtime_error: no stock')
  t.equal(read('gdb-signal-handler')[0]?.frames[4], '<signal handler called> null:null')
  const threads =
    'Thread 2 (LWP 7):\n#0  0x00001 in wait (s=1) at w.c:3\n\nThread 1 (LWP 6):\n' +
    '#0  0x00002 in fail () at f.c:4\n#1  0x00003 in main () at f.c:9\n'
  t.same(readExceptions(threads), [
    { head: 'separate null: Thread 2 (LWP 7)', frames: ['wait w.c:3'] },
    { head: 'root null: Thread 1 (LWP 6)', frames: ['main f.c:9', 'fail f.c:4'] },
  ])
})

test('lldb: modules, inlined calls, columns; what it shows when it stops is no stack of its own', async t => {
  const found = read('lldb-14.0-null')
  t.same(
    found.map(({ head }) => head),
    ['root SIGSEGV: signal SIGSEGV: invalid address (fault address: 0x0)'],
  )
  t.equal(found[0]?.frames.at(-1), 'acme::Cart<acme::Line>::total cart.h:23:38')
  t.ok(found[0]?.frames.includes('acme::checkout cart.cpp:12:20'))
})

test('address sanitizer: the first stack is the fault, who freed and who allocated are its context', async t => {
  const freed = read('gcc-12-asan-freed')
  t.same(
    freed.map(({ head }) => head.replace(/ on address.*/, '')),
    [
      'root AddressSanitizer: heap-use-after-free',
      'context null: freed by thread T0 here',
      'context null: previously allocated by thread T0 here',
    ],
  )
  t.same(own(freed[0]?.frames), ['main main.cpp:76', 'acme::checkout cart.cpp:12', ...CHECKOUT])
  t.same(own(freed[1]?.frames)?.at(-1), 'stale main.cpp:32')
  t.match(
    read('gcc-12-asan-overflow').map(({ head }) => head.split(' on ')[0]),
    ['root AddressSanitizer: stack-buffer-overflow', /^context null: Address 0x/],
  )
  t.match(read('gcc-12-asan-null')[0]?.head, /^root AddressSanitizer: SEGV/)
})

test('the other sanitizers: leaks are separate, races have a context, undefined behaviour has a column', async t => {
  t.same(
    read('gcc-12-lsan').map(({ head, frames }) => [head, own(frames)]),
    [
      ['root LeakSanitizer: detected memory leaks', ['main main.cpp:80', 'leak main.cpp:51']],
      [
        'separate null: Direct leak of 4 byte(s) in 1 object(s) allocated from',
        ['main main.cpp:80', 'leak main.cpp:52'],
      ],
    ],
  )
  t.match(
    read('gcc-12-tsan').map(({ head, frames }) => [head, own(frames)]),
    [
      [/^root ThreadSanitizer: data race/, ['main main.cpp:91']],
      [/^context null: Previous write of size 4/, ['operator() main.cpp:90']],
      [/^context null: Thread T1/, ['main main.cpp:90']],
    ],
  )
  t.same(
    read('gcc-12-ubsan').map(({ head, frames }) => [head, frames.at(-1)]),
    [
      [
        "root runtime error: signed integer overflow: 2 + 2147483646 cannot be represented in type 'int'",
        'main /srv/app/native/main.cpp:84:9',
      ],
      [
        "root runtime error: shift exponent 32 is too large for 32-bit type 'int'",
        'main /srv/app/native/main.cpp:87:34',
      ],
    ],
  )
  t.same(readExceptions('a.c:3:5: runtime error: division by zero\n'), [
    { head: 'root runtime error: division by zero', frames: ['null a.c:3:5'] },
  ])
  t.same(own(read('clang-14-msan')[0]?.frames), ['main main.cpp:96:12', 'branch main.cpp:46:7'])
})

test('valgrind: "at" begins a stack, "by" goes on', async t => {
  const found = read('valgrind-3.19-freed')
  t.match(
    found.map(({ head }) => head),
    [
      'root null: Invalid read of size 4',
      /^context null: Address 0x\w+ is 0 bytes inside a block/,
      "context null: Block was alloc'd at",
    ],
  )
  t.same(own(found[0]?.frames)?.slice(0, 2), ['main main.cpp:76', 'acme::checkout cart.cpp:12'])
})

test('crash reporters: core dumps of systemd, minidumps', async t => {
  t.same(read('systemd-coredump-235'), [
    {
      head: 'root null: Process 12428 (systemd-resolve) of user 195 dumped core.',
      frames: ['sd_event_dispatch null:null', 'internal_hashmap_iterate null:null'],
    },
  ])
  t.same(read('breakpad-walked')[0]?.frames, ['base::MessagePumpCFRunLoop::DoRun message_pump_mac.mm:554'])
})

test(
  'gdb: missing symbols part no stack, the row that it stops at and shows again is one, and without a ' +
    'stack it is the stack',
  async t => {
    t.match(read('gdb-9-all-threads'), [
      { head: 'root SIGSEGV: Segmentation fault' },
      { frames: ['g_main_context_iteration null:null', '__GI___poll ../sysdeps/unix/sysv/linux/poll.c:29'] },
    ])
    const stopped =
      'Program terminated with signal SIGSEGV, Segmentation fault.\n' +
      '#0  0x0000562dc6a2d430 in sell (n=1) at till.c:3\n' +
      '[Current thread is 1 (Thread 0x7f774d597a80 (LWP 1177))]\n(gdb) bt\n'
    t.same(
      readExceptions(
        `${stopped}#0  0x0000562dc6a2d430 in sell (n=1) at till.c:3\n#1  0x0000562dc6a2d43a in main () at till.c:9\n`,
      ),
      [{ head: 'root SIGSEGV: Segmentation fault', frames: ['main till.c:9', 'sell till.c:3'] }],
    )
    for (const [line, frame] of [
      ['main (argc=1, argv=0x7fffffffe0b8) at shop.c:12', 'main shop.c:12'],
      ['0x0000000000bbe169 in g_signal_connect_data ()', 'g_signal_connect_data null:null'],
      ['0x0000000000bbe169 in shop::Till::open(int) (this=0x0) at till.cpp:4', 'shop::Till::open till.cpp:4'],
    ] as const) {
      t.same(
        readExceptions(`Program received signal SIGSEGV, Segmentation fault.\n${line}\n12\t  *p = 1;\n`),
        [{ head: 'root SIGSEGV: Segmentation fault', frames: [frame] }],
        line,
      )
    }
  },
)

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/)
const frame = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 3 }),
  file: name,
  line: fc.integer({ min: 1, max: 99_999 }),
  isInlined: fc.boolean(),
})
const ADDRESS = '0x000055d0aabbccdd'

test('rendered stacks of gdb and of a sanitizer are read back as they were', async t => {
  fc.assert(
    fc.property(
      fc.uniqueArray(frame, { minLength: 1, maxLength: 10, selector: one => one.line }),
      fc.boolean(),
      (frames, isWrapped) => {
        const wanted = frames.map(one => `${one.path.join('::')} /srv/src/${one.file}.cc:${one.line}`).toReversed()
        const gdb = frames
          .map(
            (one, index) =>
              `#${String(index).padEnd(2)} ${one.isInlined ? '' : `${ADDRESS} in `}${one.path.join('::')} (a=1, b=@0x7ffe: {c = 2})${isWrapped ? '\n    ' : ' '}at /srv/src/${one.file}.cc:${one.line}\n`,
          )
          .join('')
        t.same(readExceptions(`Program received signal SIGSEGV, Segmentation fault.\n${gdb}`), [
          { head: 'root SIGSEGV: Segmentation fault', frames: wanted },
        ])
        const asan = frames
          .map(
            (one, index) =>
              `    #${index} ${ADDRESS} in ${one.path.join('::')}(int, char const*) const ` +
              `/srv/src/${one.file}.cc:${one.line}\n`,
          )
          .join('')
        t.same(readExceptions(`==1==ERROR: AddressSanitizer: heap-use-after-free\n${asan}\nSUMMARY: x\n`), [
          { head: 'root AddressSanitizer: heap-use-after-free', frames: wanted },
        ])
      },
    ),
    { numRuns: runs(40) },
  )
})

test('gdb: a row goes on below it where its parentheses are open or its place follows, else not', async t => {
  const frames = (first: string, second: string) =>
    readExceptions(
      'Program received signal SIGSEGV, Segmentation fault.\n' +
        `#0  0x0000555555555189 in pay ${first}\n${second}\n#1  0x00005555555551c9 in main () at main.c:20\n`,
    )[0]?.frames
  const whole = ['main main.c:20', 'pay pay.c:9']
  t.same(frames('(a=1, ', '    b=2) at pay.c:9'), whole)
  t.same(frames('(a=1)', '    at pay.c:9'), whole)
  t.same(frames('(a={x = 1', '    y = 2}) at pay.c:9'), whole)
  t.same(frames('(a=1)', '    b = 3 at pay.c:9'), ['pay null:null'])
})

test('gdb: where it stopped is left out where the whole stack follows within twelve lines', async t => {
  const between = (lines: number): string =>
    'Program received signal SIGSEGV, Segmentation fault.\nfail (s=1) at f.c:4\n' +
    'Continuing.\n'.repeat(lines) +
    '#0  0x00002 in fail (s=1) at f.c:4\n#1  0x00003 in main () at f.c:9\n'
  const stack = ['main f.c:9', 'fail f.c:4']
  t.same(
    [10, 11].map(lines => readExceptions(between(lines)).map(({ frames }) => frames)),
    [[stack], [['fail f.c:4'], stack]],
  )
})

test('gdb: a stack goes on behind a blank line only where what gdb says between rows follows it', async t => {
  const frames = (between: string): string[][] =>
    readExceptions(`#0  pay () at a.c:1\n${between}#1  main () at b.c:2\n`).map(one => one.frames)
  const [pay, main] = ['pay a.c:1', 'main b.c:2']
  for (const between of ['', 'No locals.\n', '\nNo locals.\n']) t.same(frames(between), [[main, pay]], between)
  for (const between of ['\n', 'No locals.\n\n']) t.same(frames(between), [[pay], [main]], between)
})
