import fc from 'fast-check'
import { test } from 'tap'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'

const VERSIONS = ['rust-1.63', 'rust-1.95'] // the place behind the message, and before it

const read = (name: string) => readExceptions(readTrace(name))
const own = (frames: string[] | undefined) => frames?.filter(frame => / (?:\.\/|\/srv\/app\/rust\/)?src\//.test(frame))

test('a panic with a backtrace: frames outermost first, inlined ones included', async t => {
  t.same(own(read('rust-1.95-plain')[0]?.frames), [
    'kiosk::main ./src/main.rs:27:46',
    '<kiosk::cart::Cart as kiosk::cart::Priced>::total ./src/cart.rs:30:14',
    'kiosk::cart::Cart::price ./src/cart.rs:16:20',
  ])
  t.same(own(read('rust-1.63-plain')[0]?.frames), [
    'main::main ./src/main.rs:27:41',
    '<main::cart::Cart as main::cart::Priced>::total ./src/cart.rs:30:9',
    'main::cart::Cart::price ./src/cart.rs:16:9',
  ])
  for (const version of VERSIONS) {
    t.same(
      read(`${version}-plain`).map(({ head }) => head),
      ['root panic: index out of bounds: the len is 2 but the index is 2'],
      version,
    )
    t.same(languagesOf(readTrace(`${version}-plain`)), ['rust'])
  }
})

test('messages of several lines are whole, in quotes or not', async t => {
  for (const version of VERSIONS) {
    t.equal(read(`${version}-message`)[0]?.head, 'root panic: till is locked:\n  call the manager', version)
  }
  t.equal(
    read('rust-1.63-closure')[0]?.head,
    'root panic: assertion failed: `(left == right)`\n  left: `1`,\n right: `2`: price is wrong',
  )
  t.equal(
    read('rust-1.95-closure')[0]?.head,
    'root panic: assertion `left == right` failed: price is wrong\n  left: 1\n right: 2',
  )
})

test('a thread whose name holds quotes', async t => {
  for (const version of VERSIONS) {
    t.match(own(read(`${version}-thread`)[0]?.frames)?.at(-1), /^\w+::cart::Cart::price \.\/src\/cart\.rs:16:/, version)
  }
})

test('without a backtrace, or with one that has no places, the place of the message is the failing frame', async t => {
  t.same(read('rust-1.95-quiet')[0]?.frames, ['null src/cart.rs:16:20'])
  t.same(read('rust-1.95-release')[0]?.frames, [
    'kiosk::main null:null',
    'kiosk::cart::Cart::price null:null',
    'core::panicking::panic_bounds_check null:null',
    'core::panicking::panic_fmt null:null',
    '__rustc::rust_begin_unwind null:null',
    'null src/cart.rs:16:20',
  ])
  t.same(read('rust-windows')[0]?.frames, [
    'RtlUserThreadStart null:null',
    'BaseThreadInitThunk null:null',
    'null src\\main.rs:177:37',
  ])
})

test('a full backtrace: addresses and hashes of crates go', async t => {
  const [full] = read('rust-1.95-full')
  t.same(own(full?.frames), [
    'kiosk::main /srv/app/rust/src/main.rs:27:46',
    '<kiosk::cart::Cart as kiosk::cart::Priced>::total /srv/app/rust/src/cart.rs:30:14',
    'kiosk::cart::Cart::price /srv/app/rust/src/cart.rs:16:20',
  ])
  t.notOk(full?.frames.some(frame => /0x|\[[0-9a-f]{16}\]/.test(frame)))
})

test('recursion is one frame with a count; a second panic is a failure of its own', async t => {
  t.same(own(read('rust-1.95-recursion')[0]?.frames), [
    'kiosk::main ./src/main.rs:36:45',
    'kiosk::depth ./src/main.rs:15:43 ×20',
    'kiosk::depth ./src/main.rs:15:17',
  ])
  t.same(
    read('rust-1.95-twice')
      .map(({ head }) => head)
      .slice(0, 2),
    ['root panic: index out of bounds: the len is 2 but the index is 2', 'root panic: till is stuck'],
  )
})

test('backtraces of old versions', async t => {
  t.same(read('rust-2016')[0]?.frames.slice(0, 2), [
    'systemd_gui::launch::_<closure>::closure.14181 src/systemd_gui.rs:172',
    'option::Option<T>::unwrap::h16515609606882990218 ../src/libcore/macros.rs:21',
  ])
})

test('a report of a panic hook: message and place in lines of their own', async t => {
  t.same(readExceptions('The application panicked (crashed).\nMessage:  out of stock\nLocation: src/main.rs:12\n'), [
    { head: 'root panic: out of stock', frames: ['null src/main.rs:12'] },
  ])
})

test('a panic of one line, and one that was cut off', async t => {
  t.same(readExceptions("thread 'main' panicked at src/a.rs:1:2: no stock"), [
    { head: 'root panic: no stock', frames: ['null src/a.rs:1:2'] },
  ])
  t.same(readExceptions("thread 'main' panicked at 'no stock"), [{ head: 'root panic: no stock', frames: [] }])
})

test('the middle of a backtrace, cut out of a log, is one stack', async t => {
  const [failure, ...others] = read('rust-1.75-middle')
  t.same([failure?.head, others.length, failure?.frames.length], ['root null: null', 0, 4])
  t.equal(
    failure?.frames.at(-1),
    'std::panicking::try /rustc/eb26296b556cef10fb713a38f3d16b9886080f26/library/std/src/panicking.rs:464:19',
  )
})

test("a panic's message ends where a log goes on", async t => {
  for (const entry of [
    '2026-11-21T22:20:01.123Z  INFO shop: next',
    'ERROR shop: next',
    '[main] INFO shop.Till - next',
  ]) {
    t.equal(
      readExceptions(`thread 'main' panicked at src/till.rs:3:5:\nno till\nfor order 7\n${entry}\n`)[0]?.head,
      'root panic: no till\nfor order 7',
      entry,
    )
  }
})

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,10}$/)
const frame = fc.record({
  path: fc.array(name, { minLength: 2, maxLength: 4 }),
  line: fc.integer({ min: 1, max: 99_999 }),
  column: fc.integer({ min: 1, max: 200 }),
})

test('a rendered panic is read back as it was', async t => {
  fc.assert(
    fc.property(
      fc.uniqueArray(frame, { minLength: 1, maxLength: 10, selector: one => one.line }),
      fc.boolean(),
      (frames, isOld) => {
        const rows = frames.map(one => ({
          function: one.path.join('::'),
          place: `./src/${one.path[0]}.rs:${one.line}:${one.column}`,
        }))
        const place = rows[0]?.place.slice(2) ?? ''
        const head = isOld
          ? `thread 'main' panicked at 'no stock', ${place}`
          : `thread 'main' panicked at ${place}:\nno stock`
        const text = `${head}\nstack backtrace:\n${rows.map((one, index) => `${String(index).padStart(4)}: ${one.function}\n             at ${one.place}\n`).join('')}note: Some details are omitted\n`
        t.same(readExceptions(text), [
          { head: 'root panic: no stock', frames: rows.map(one => `${one.function} ${one.place}`).toReversed() },
        ])
      },
    ),
    { numRuns: runs(40) },
  )
})
