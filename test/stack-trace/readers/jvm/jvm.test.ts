import fc from 'fast-check'
import { test } from 'tap'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'

const read = (name: string) => readExceptions(readTrace(name))

test(
  'an uncaught exception: frames outermost first, the message of several lines whole, the class in the ' + 'function',
  async t => {
    t.same(read('java-17-plain'), [
      {
        head: 'root java.lang.IllegalArgumentException: no lines:\n  cart is empty',
        frames: [
          'com.acme.shop.Shop.main Shop.java:48',
          'com.acme.shop.Cart.total Cart.java:22',
          'com.acme.shop.Cart$Totals.<init> Cart.java:12',
        ],
      },
    ])
    t.same(languagesOf(readTrace('java-17-plain')), ['java'])
  },
)

test('causes follow their root; what "... n more" leaves out is in the trace above and is no frame', async t => {
  t.same(read('java-17-cause'), [
    {
      head: 'root java.lang.Error: shop is closed',
      frames: ['com.acme.shop.Shop.main Shop.java:50', 'com.acme.shop.Shop.nested Shop.java:29'],
    },
    {
      head: 'cause java.lang.RuntimeException: cannot start with 3 orders',
      frames: ['com.acme.shop.Shop.nested Shop.java:27', 'com.acme.shop.Shop.start Shop.java:21'],
    },
    {
      head: 'cause java.lang.IllegalArgumentException: no lines:\n  cart is empty',
      frames: [
        'com.acme.shop.Shop.start Shop.java:19',
        'com.acme.shop.Cart.total Cart.java:22',
        'com.acme.shop.Cart$Totals.<init> Cart.java:12',
      ],
    },
  ])
})

test('suppressed exceptions and circular references', async t => {
  t.same(
    read('java-17-suppressed').map(({ head, frames }) => [head, frames.at(-1)]),
    [
      ['root java.lang.IllegalStateException: till is locked', 'com.acme.shop.Shop$Till.open Shop.java:8'],
      ['suppressed java.lang.IllegalStateException: till is stuck', 'com.acme.shop.Shop$Till.close Shop.java:13'],
    ],
  )
  t.same(
    read('java-17-circular').map(({ head }) => head),
    [
      'root java.lang.RuntimeException: java.lang.Exception: two',
      'cause java.lang.Exception: two',
      'cause java.lang.Exception: one',
    ],
  )
})

test('traces of one log are independent failures', async t => {
  t.same(
    read('java-17-twice').map(({ head, frames }) => [head.split('\n')[0], frames.length]),
    [
      ['root java.lang.RuntimeException: cannot start with 0 orders', 2],
      ['cause java.lang.IllegalArgumentException: no lines:', 3],
      ['root java.lang.RuntimeException: cannot start with 1 orders', 2],
      ['cause java.lang.IllegalArgumentException: no lines:', 3],
    ],
  )
})

test('packaging data of a logger is no part of a frame; "Wrapped by" puts the cause first', async t => {
  t.same(
    read('logback-1.2-packaging').map(({ head, frames }) => [head, frames.at(-1)]),
    [
      ['root java.lang.IllegalStateException: bad key', 'com.acme.logged.Logged.read Logged.java:13'],
      [
        'cause java.lang.NumberFormatException: For input string: "x1"',
        'java.lang.NumberFormatException.forInputString NumberFormatException.java:67',
      ],
    ],
  )
  t.same(
    read('logback-1.2-rootfirst').map(({ head, frames }) => [head, frames[0]]),
    [
      ['cause java.lang.NumberFormatException: For input string: "x1"', 'com.acme.logged.Logged.read Logged.java:11'],
      ['root java.lang.IllegalStateException: bad key', 'com.acme.logged.Logged.main Logged.java:19'],
    ],
  )
})

test('Kotlin and Scala are known by their files', async t => {
  t.same(read('kotlin-1.3-cause'), [
    { head: 'root java.lang.IllegalStateException: cannot sell', frames: ['com.acme.kiosk.ShopKt.main Shop.kt:27'] },
    {
      head: 'cause java.lang.IllegalArgumentException: no lines',
      frames: ['com.acme.kiosk.ShopKt.main Shop.kt:25', 'com.acme.kiosk.Cart$Companion.of Shop.kt:7'],
    },
  ])
  t.same(languagesOf(readTrace('kotlin-1.3-extension')), ['kotlin'])
  t.same(read('scala-2.11-plain')[0]?.frames.slice(0, 6), [
    'com.acme.stall.Shop.main Shop.scala:null',
    'com.acme.stall.Shop$.main Shop.scala:18',
    'com.acme.stall.Cart.total Shop.scala:10',
    'com.acme.stall.Priced$class.total Shop.scala:7',
    'scala.collection.immutable.List.map List.scala:284',
    'com.acme.stall.Priced$$anonfun$total$1.apply Shop.scala:7 ×2',
  ])
  t.same(languagesOf(readTrace('scala-2.11-match')), ['scala'])
})

test('the marks of coroutines are no frames', async t => {
  t.same(
    read('kotlin-coroutine')[0]?.frames.map(frame => frame.split(' ')[1]),
    ['PipelineTest.kt:15', 'PipelineTest.kt:46', 'PipelineTest.kt:52', 'PipelineTest.kt:null', 'PipelineTest.kt:64'],
  )
  t.same(
    readExceptions(
      'E: java.io.IOException: x\n\tat a.B.c(B.kt:1)\n\tat _COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)\n' +
        '\tat a.D.e(D.kt:2)\n',
    )[0]?.frames,
    ['a.D.e D.kt:2', 'a.B.c B.kt:1'],
  )
})

const identifier = fc.stringMatching(/^[a-z][a-zA-Z0-9_]{0,10}$/)
const className = fc.stringMatching(/^[A-Z][a-zA-Z0-9]{0,10}$/)
const frame = fc.record({
  package: fc.array(identifier, { minLength: 1, maxLength: 4 }),
  className,
  inner: fc.option(className),
  method: fc.oneof(identifier, fc.constantFrom('<init>', '<clinit>', 'lambda$run$0')),
  line: fc.integer({ min: 1, max: 99_999 }),
})
const message = fc.stringMatching(/^[a-z][a-z ]{0,30}[a-z]$/)

test('a rendered chain is read back as it was', async t => {
  const exception = fc.record({
    frames: fc.uniqueArray(frame, { minLength: 1, maxLength: 10, selector: one => one.line }),
    message,
  })
  fc.assert(
    fc.property(fc.array(exception, { minLength: 1, maxLength: 4 }), chain => {
      const wanted = chain.map(({ frames, message }, index) => ({
        head: `${index === 0 ? 'root' : 'cause'} com.acme.Oops: ${message}`,
        frames: frames.map(
          one =>
            `${one.package.join('.')}.${one.className}${one.inner === null ? '' : `$${one.inner}`}.${one.method} ${one.className}.java:${one.line}`,
        ),
      }))
      const text = wanted
        .map(
          ({ frames }, index) =>
            `${index === 0 ? '' : 'Caused by: '}com.acme.Oops: ${chain[index]?.message}\n${frames.map(one => `\tat ${one.replace(' ', '(')})\n`).join('')}${index === 0 ? '' : '\t... 3 more\n'}`,
        )
        .join('')
      t.same(
        readExceptions(text),
        wanted.map(({ head, frames }) => ({ head, frames: frames.toReversed() })),
      )
    }),
    { numRuns: runs(40) },
  )
})

test('a stack of Clojure says "at" once, or never', async t => {
  const [failure] = read('clojure-1.10-stacktrace')
  t.equal(failure?.head, 'root clojure.lang.ArityException: Wrong number of args (0) passed to: clojure.core/max')
  t.same(
    [failure?.frames.length, failure?.frames[0], failure?.frames.at(-1)],
    [
      7,
      'clojupyter.kernel.middleware.execute$fn__18026.invokeStatic execute.clj:37',
      'clojure.lang.AFn.throwArity AFn.java:429',
    ],
  )
  t.same(languagesOf(readTrace('clojure-1.10-stacktrace')), ['clojure'])
  t.same(
    readExceptions(
      'ArithmeticException Divide by zero\n\tclojure.lang.Numbers.divide (Numbers.java:163)\n' +
        '\tuser/eval1 (NO_SOURCE_FILE:1)\n',
    )[0]?.frames,
    ['user/eval1 null:1', 'clojure.lang.Numbers.divide Numbers.java:163'],
  )
})

test('an error of the language itself without frames is a failure of its own, unless frames follow', async t => {
  t.same(
    readExceptions(
      '12:00:01 ERROR request failed with root cause\n\njava.lang.NullPointerException: null\n12:00:02 INFO next\n',
    ).map(({ head }) => head),
    ['root java.lang.NullPointerException: null'],
  )
  t.equal(readExceptions('java.lang.Error: a\nb\n\tat acme.Till.open(Till.java:3)\n').length, 1)
})

test('a blank line before a cause does not part it from its failure, one before other text ends it', t => {
  const heads = (text: string) => readExceptions(text).map(({ head }) => head)
  const root = 'java.lang.IllegalStateException: closed\n\tat a.Shop.open(Shop.java:3)\n\n'
  t.same(heads(`${root}Caused by: java.io.IOException: no till\n\tat a.Till.read(Till.java:9)\n`), [
    'root java.lang.IllegalStateException: closed',
    'cause java.io.IOException: no till',
  ])
  t.same(heads(`${root}all is well\n\tat a.Till.read(Till.java:9)\n`).slice(0, 1), [
    'root java.lang.IllegalStateException: closed',
  ])
  t.end()
})
