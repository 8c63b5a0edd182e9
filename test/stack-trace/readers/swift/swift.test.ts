import fc from 'fast-check'
import { test } from 'tap'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'
import { shown } from '../../../helpers/shown-trace.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('a fatal error names its place, in the old order and the new', async t => {
  t.same(read('swift-fatal'), [
    { head: 'root Fatal error: Index out of range ×2', frames: ['null Swift/ContiguousArrayBuffer.swift:575'] },
  ])
  const old =
    'Fatal error: Unexpectedly found nil while unwrapping an Optional value: file /srv/Sources/App/Cart.swift, line 12'
  t.same(readExceptions(old), [
    {
      head: 'root Fatal error: Unexpectedly found nil while unwrapping an Optional value',
      frames: ['null /srv/Sources/App/Cart.swift:12'],
    },
  ])
  t.same(readExceptions('App/Cart.swift:12: Precondition failed'), [
    { head: 'root Precondition failed: null', frames: ['null App/Cart.swift:12'] },
  ])
  t.same(languagesOf(old), ['swift'])
})

test('backtraces of Swift itself: code between the rows, marks and addresses', async t => {
  const folder = '/Users/alastair/Source/crashDotSwift'
  t.same(read('swift-5.9-crash'), [
    {
      head: 'root null: Bad pointer dereference at 0x0000000000000004',
      frames: [
        `main ${folder}/crash.swift:11:1`,
        `crashMe ${folder}/crash.swift:8:3`,
        `reallyCrashMe ${folder}/crash.swift:4:15`,
      ],
    },
  ])
  t.same(read('swift-5.9-linux')[0]?.frames.slice(0, 3), [
    'Sequence.forEach /root/tbx_4/x-bot/Sources/tbx_4/routes.swift:171:24',
    'getDetails null:null',
    'swift_bridgeObjectRetain null:null',
  ])
})

test('crash reports: the crashed thread is the failure, the others are separate', async t => {
  const [crash] = read('swift-crashlytics')
  t.equal(crash?.head, 'root Fatal error: Index out of range')
  t.same(crash?.frames.slice(3, 7), [
    'LineChart.touchesEnded LineChart.swift:267',
    'LineChart.handleTouchEvents LineChart.swift:257',
    'LineChart.highlightDataPoints LineChart.swift:295',
    'Array.subscript null:null',
  ])
  t.match(read('apple-crash'), [{ head: 'root EXC_BAD_ACCESS: SIGSEGV', frames: { length: 4 } }])
  t.same(
    read('apple-symbolicated').map(({ head, frames }) => [head, frames.at(-1)]),
    [
      ['root null: null', 'NSFileHandle.thread BLStandardIO.swift:46'],
      ['separate null: Thread 2', 'start_wqthread null:null'],
    ],
  )
  const text =
    "*** Terminating app due to uncaught exception 'NSRangeException', reason: 'index 3 beyond bounds'\n" +
    '*** First throw call stack:\n(\n' +
    '\t0   CoreFoundation                      0x00007fff2 __exceptionPreprocess + 242\n' +
    '\t1   Shop                                0x00000001 -[Cart total] + 12\n)\n'
  t.same(readExceptions(text), [
    {
      head: 'root NSRangeException: index 3 beyond bounds',
      frames: ['-[Cart total] null:null', '__exceptionPreprocess null:null'],
    },
  ])
})

const name = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,10}$/)
const frame = fc.record({
  type: name,
  name,
  line: fc.integer({ min: 1, max: 99_999 }),
  column: fc.integer({ min: 1, max: 200 }),
})

test('a rendered backtrace is read back as it was', async t => {
  fc.assert(
    fc.property(fc.uniqueArray(frame, { minLength: 1, maxLength: 10, selector: one => one.line }), frames => {
      const text = `*** Program crashed: Bad pointer dereference at 0x0 ***\n\nThread 0 crashed:\n\n${frames
        .map(
          (one, index) =>
            `${index} ${one.type}.${one.name}(_:) + 12 in shop at ` +
            `/srv/${one.type}.swift:${one.line}:${one.column}\n`,
        )
        .join('')}`
      t.same(readExceptions(text), [
        {
          head: 'root null: Bad pointer dereference at 0x0',
          frames: frames
            .map(one => `${one.type}.${one.name} /srv/${one.type}.swift:${one.line}:${one.column}`)
            .toReversed(),
        },
      ])
    }),
    { numRuns: runs(40) },
  )
})

test('a crash report says what the program said before it ended', async t => {
  const report =
    'Exception Type:        EXC_CRASH (SIGABRT)\n\nApplication Specific Information:\nfatal error: no till\n' +
    'in shop 3\n\nThread 0 Crashed::  Dispatch queue: com.apple.main-thread\n' +
    '0   libsystem_c.dylib             \t       0x1 abort + 168\n' +
    '1   Shop                          \t       0x2 Till.open() + 12\n'
  t.same(readExceptions(report), [
    { head: 'root EXC_CRASH: fatal error: no till\nin shop 3', frames: ['Till.open null:null', 'abort null:null'] },
  ])
})

test('a place that the stack does not hold is its innermost frame', async t => {
  t.same(
    shown(
      [
        'Shop/till.swift:9: Fatal error: empty',
        'Thread 0 crashed:',
        '0  shop  0x0000000104 Cart.pay() + 12 (cart.swift:20)',
        '1  shop  0x0000000105 main + 4 (main.swift:3)',
      ].join('\n'),
    ),
    [
      {
        head: 'root Fatal error: empty',
        frames: ['main.swift:3 main', 'cart.swift:20 Cart.pay', 'Shop/till.swift:9 -'],
      },
    ],
  )
})
