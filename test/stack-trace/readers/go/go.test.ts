import fc from 'fast-check'
import { test } from 'tap'
import { parseStackTrace } from '../../../../src/stack-trace/parse.ts'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'
import { shown } from '../../../helpers/shown-trace.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('a panic: frames outermost first, without arguments and offsets', async t => {
  t.same(read('go-1.19-plain'), [
    {
      head: 'root panic: runtime error: invalid memory address or nil pointer dereference',
      frames: [
        'main.main /srv/app/go/main.go:74',
        'acme.dev/shop/cart.(*Cart).Total /srv/app/go/cart/cart.go:17',
        'acme.dev/shop/cart.(*Cart).each /srv/app/go/cart/cart.go:24',
      ],
    },
  ])
  t.same(languagesOf(readTrace('go-1.19-plain')), ['go'])
  t.equal(read('go-1.19-error')[0]?.head, 'root panic: till is locked:\n  call the manager')
  t.equal(read('go-1.19-generic')[0]?.frames.at(-1), 'acme.dev/shop/cart.First[...] /srv/app/go/cart/cart.go:36')
})

test('who created the goroutine is its outermost frame', async t => {
  t.same(read('go-1.19-goroutine')[0]?.frames, [
    'main.inGoroutine /srv/app/go/main.go:28',
    'main.inGoroutine.func1 /srv/app/go/main.go:30',
    'acme.dev/shop/cart.Cart.Price /srv/app/go/cart/cart.go:31',
  ])
  t.equal(read('go-1.19-trimmed')[0]?.frames[0], 'main.inGoroutine acme.dev/shop/main.go:28')
  t.equal(
    read('go-1.24-system')[0]?.frames[0],
    'runtime.gcenable /usr/local/Cellar/go/1.24.0/libexec/src/runtime/mgc.go:204',
  )
})

test('a panic during a panic: the first is the cause, the stack belongs to the last', async t => {
  t.same(
    read('go-1.19-recovered').map(({ head, frames }) => [head, frames.length]),
    [
      ['cause panic: runtime error: invalid memory address or nil pointer dereference', 0],
      ['root panic: sale failed: runtime error: invalid memory address or nil pointer dereference', 6],
    ],
  )
})

test('of several goroutines the first one failed, the others are separate', async t => {
  t.same(
    read('go-1.19-deadlock').map(({ head, frames }) => [head, frames[0]]),
    [
      ['root fatal error: all goroutines are asleep - deadlock!', 'main.main /srv/app/go/stuck/main.go:19'],
      ['separate null: goroutine 5 [select]', 'main.main /srv/app/go/stuck/main.go:13'],
      ['separate null: goroutine 6 [select]', 'main.main /srv/app/go/stuck/main.go:13'],
      ['separate null: goroutine 7 [select]', 'main.main /srv/app/go/stuck/main.go:15'],
    ],
  )
  t.same(new Set(parseStackTrace(readTrace('go-1.19-deadlock')).exceptions.map(({ chain }) => chain)), new Set([0]))
  t.same(
    read('go-1.19-system')
      .slice(0, 2)
      .map(({ head }) => head),
    ['separate null: runtime stack', 'root fatal error: all goroutines are asleep - deadlock!'],
  )
  t.equal(read('go-1.19-writes')[0]?.head, 'root fatal error: concurrent map writes')
})

test('recursion is one frame although the arguments differ, and elided frames do not end the stack', async t => {
  const [, overflow] = read('go-1.19-overflow')
  t.same(overflow?.head, 'root fatal error: stack overflow')
  t.same(overflow?.frames.slice(-2), ['main.depth /srv/app/go/main.go:36 ×99', 'main.depth /srv/app/go/main.go:35'])
})

test('a panic that a server recovered from, and a stack that was printed', async t => {
  const [served] = read('go-1.19-served')
  t.equal(served?.head, 'root panic: runtime error: invalid memory address or nil pointer dereference')
  t.equal(served?.frames.at(-1), 'net/http.(*conn).serve.func1 /usr/lib/go-1.19/src/net/http/server.go:1850')
  t.same(read('go-1.19-printed')[0]?.frames[0], 'main.main /srv/app/go/main.go:91')
})

test("a panic without a stack counts, a compiler's fatal error does not", async t => {
  t.same(readExceptions('panic: out of stock'), [{ head: 'root panic: out of stock', frames: [] }])
  t.same(readExceptions('fatal error: too many errors emitted, stopping now'), [])
  t.same(readExceptions('panic: out of stock [recovered]\n\tpanic: no till\n\tpanic: no shop\n'), [
    { head: 'cause panic: out of stock', frames: [] },
    { head: 'cause panic: no till', frames: [] },
    { head: 'root panic: no shop', frames: [] },
  ])
})

test("a panic's message ends where a log goes on", async t => {
  for (const entry of [
    '2026/11/21 22:20:01 next order',
    'time="2026-11-21T22:20:01Z" level=info msg="next order"',
    'level=info msg=next',
    'E1121 22:20:01.000000       1 server.go:31] next',
    '[main] INFO shop.Till - next',
    'info: Shop.Till[0]',
  ]) {
    t.equal(
      readExceptions(`panic: no till\nfor order 7\n${entry}\n`)[0]?.head,
      'root panic: no till\nfor order 7',
      entry,
    )
  }
})

const name = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,10}$/)
const frame = fc.record({
  path: fc.array(name, { minLength: 1, maxLength: 4 }),
  type: fc.option(name),
  method: name,
  line: fc.integer({ min: 1, max: 99_999 }),
  isInlined: fc.boolean(),
})

test('rendered goroutines are read back as they were', async t => {
  fc.assert(
    fc.property(
      fc.array(fc.uniqueArray(frame, { minLength: 1, maxLength: 8, selector: one => one.line }), {
        minLength: 1,
        maxLength: 5,
      }),
      goroutines => {
        const rows = goroutines.map(frames =>
          frames.map(one => ({
            called: `${one.path.join('/')}.${one.type === null ? '' : `(*${one.type}).`}${one.method}`,
            place: `/srv/${one.path.join('/')}.go:${one.line}`,
            isInlined: one.isInlined,
          })),
        )
        const text = `panic: oops\n\n${rows
          .map(
            (frames, index) =>
              `goroutine ${index + 1} [running]:\n${frames
                .map(
                  one =>
                    `${one.called}(${one.isInlined ? '...' : '0x1, {0x2?, 0x3}'})\n` +
                    `\t${one.place}${one.isInlined ? '' : ' +0x1f'}\n`,
                )
                .join('')}`,
          )
          .join('\n')}exit status 2\n`
        t.same(
          readExceptions(text),
          rows.map((frames, index) => ({
            head: index === 0 ? 'root panic: oops' : `separate null: goroutine ${index + 1} [running]`,
            frames: frames.map(one => `${one.called} ${one.place}`).toReversed(),
          })),
        )
      },
    ),
    { numRuns: runs(40) },
  )
})

test('a profile of goroutines says how many stand at each stack', async t => {
  t.same(
    shown(
      [
        'goroutine profile: total 3',
        '2 @ 0x43a456 0x44b1d2',
        '#\t0x4a2b3c\tmain.pay+0x5c\t/srv/app/main.go:12',
        '#\t0x4a2b99\tmain.main+0x19\t/srv/app/main.go:30',
      ].join('\n'),
    ),
    [{ head: 'root null: goroutines: 2', frames: ['/srv/app/main.go:30 main.main', '/srv/app/main.go:12 main.pay'] }],
  )
})

test('what a server says of a panic may stand two blank lines above the stack, and no further', async t => {
  const heads = (blanks: number) =>
    readExceptions(
      `panic recovered: no till${'\n'.repeat(blanks + 1)}goroutine 7 [running]:\nmain.pay()\n\t/srv/app/till.go:9 +0x1d\n`,
    ).map(({ head }) => head)
  t.same(heads(2), ['root panic: no till'])
  t.not(heads(3)[0], 'root panic: no till')
})

test('between a panic and its stack forty lines may stand, and no more', async t => {
  const heads = (lines: number) =>
    readExceptions(
      `panic: no till\n${'[signal SIGSEGV: code]\n'.repeat(lines)}goroutine 7 [running]:\nmain.pay()\n\t/srv/app/till.go:9 +0x1d\n`,
    ).map(({ head, frames }) => `${head}, ${frames.length} frames`)
  t.same(heads(39), ['root panic: no till, 1 frames'], 'the stack begins at the fortieth line behind it')
  t.equal(heads(40)[0], 'root panic: no till, 0 frames')
})
