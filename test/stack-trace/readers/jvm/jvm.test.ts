import fc from 'fast-check'
import { test } from 'tap'
import { jvmFrame } from '../../../../src/stack-trace/readers/jvm/jvm-frame.ts'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'

const read = (name: string) => readExceptions(readTrace(name))

test('an uncaught exception: frames outermost first, the message of several lines whole, the class in the function', async t => {
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
})

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

test('a thread whose name holds quotes, lambdas, proxies, native methods and recursion', async t => {
  t.same(read('java-17-thread')[0], {
    head: 'root java.lang.RuntimeException: cannot start with 1 orders',
    frames: [
      'java.lang.Thread.run Thread.java:840',
      'com.acme.shop.Shop.lambda$main$0 Shop.java:55',
      'com.acme.shop.Shop.start Shop.java:21',
    ],
  })
  t.equal(read('java-17-proxy')[0]?.frames.at(-1), 'jdk.proxy1.$Proxy0.run null:null')
  t.equal(
    read('java-17-reflection')[0]?.frames.at(-1),
    'jdk.internal.reflect.NativeMethodAccessorImpl.invoke0 null:null',
  )
  t.equal(read('java-17-recursion')[0]?.frames[1], 'com.acme.shop.Cart.depth Cart.java:26 ×21')
})

test('modules, hidden classes and classes without line numbers', async t => {
  t.same(read('java-17-module')[0]?.frames, [
    'com.acme.till.Till.main Till.java:9',
    'com.acme.till.Till.open Till.java:5',
  ])
  t.same(read('java-17-hidden')[0]?.frames.slice(-2), [
    'com.acme.shop.Cart$Totals$$Lambda.applyAsInt null:null',
    'com.acme.shop.Cart$Totals.lambda$sum$0 Cart.java:17',
  ])
  t.same(
    read('java-17-stripped').map(({ frames }) => frames.at(-1)),
    [
      'com.acme.shop.Shop.nested null:null',
      'com.acme.shop.Shop.start null:null',
      'com.acme.shop.Cart$Totals.<init> null:null',
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
      'E: java.io.IOException: x\n\tat a.B.c(B.kt:1)\n\tat _COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)\n\tat a.D.e(D.kt:2)\n',
    )[0]?.frames,
    ['a.D.e D.kt:2', 'a.B.c B.kt:1'],
  )
})

test('obfuscated code: names and lines as printed, offsets are no lines', async t => {
  t.same(
    read('android-obfuscated').map(({ head, frames }) => [head, frames.length]),
    [
      ['root java.lang.StringIndexOutOfBoundsException: begin 9, end -1, length 10', 9],
      ['suppressed X6.g: [t0{Cancelling}@e602721, Dispatchers.Main.immediate]', 0],
    ],
  )
  t.equal(read('android-obfuscated')[0]?.frames[6], 'P3.a.l null:38')
  t.equal(read('android-nosource')[0]?.frames.at(-1), 'im.crisp.client.internal.t.b.a null:10')
  t.equal(read('android-nosource')[0]?.frames[1], 'java.lang.reflect.Method.invoke Method.java:null')
})

test('an error whose stack the VM left out, and a cause below a message alone', async t => {
  t.same(readExceptions('Exception in thread "main" java.lang.NullPointerException\nnext line'), [
    { head: 'root java.lang.NullPointerException: null', frames: [] },
  ])
  t.same(readExceptions('com.acme.Oops: outer\nCaused by: com.acme.Inner: inner\n\tat a.B.c(B.java:1)\n'), [
    { head: 'root com.acme.Oops: outer', frames: [] },
    { head: 'cause com.acme.Inner: inner', frames: ['a.B.c B.java:1'] },
  ])
})

test('a dump of threads: who is deadlocked stands for it, the others are separate', async t => {
  const threads = read('java-17-threads')
  t.same(
    threads.map(({ head }) => head).filter(head => /main|seller|buyer/.test(head)),
    [
      'separate null: thread "main" WAITING (on object monitor)',
      'separate null: thread "seller" BLOCKED (on object monitor)',
      'separate null: thread "buyer" BLOCKED (on object monitor)',
      'root null: thread "seller"',
      'separate null: thread "buyer"',
    ],
  )
  t.same(threads.find(({ head }) => head.startsWith('root'))?.frames, [
    'java.lang.Thread.run Thread.java:840',
    'com.acme.shop.Deadlock$$Lambda.run null:null',
    'com.acme.shop.Deadlock.lambda$main$0 Deadlock.java:29',
    'com.acme.shop.Deadlock.take Deadlock.java:15',
  ])
})

test('class loaders, modules and versions in front of a class', async t => {
  const names = [
    'app//a.B.c(B.java:1)',
    'app//mod@1.2/a.B.c(B.java:1)',
    'java.base@17/a.B.c(B.java:1)',
    'java.base/a.B.c(B.java:1)',
    'plugin-loader//a.B.c(B.java:1)',
  ]
  for (const name of names) t.match(jvmFrame(`\tat ${name}`), { function: 'a.B.c', file: 'B.java', line: 1 }, name)
  t.match(jvmFrame('at a.B.c(java.base@17.0.15/B.java:1)'), { function: 'a.B.c', file: 'B.java' })
})

test('lines of other runtimes are no frames', async t => {
  for (const line of [
    'at total (/srv/cart.js:2:21)',
    'at Shop.Cart.Total(Int32 n) in C:\\src\\Cart.cs:line 12',
    'at Shop.Cart.Total()',
    'at Shop.Cart.Total(Int32 n)',
    'at main.c:12',
    'at noon (see below)',
    'at a.b(c.d)',
    'at x.y(z.js:1:2)',
    'at x.y(z.js:1)',
  ]) {
    t.equal(jvmFrame(`   ${line}`), null, line)
  }
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

test('a space before the brackets, as Maven prints it, is still Java; a message may hold an empty line', async t => {
  const [failure] = read('maven-3.6-stack')
  t.match(
    failure?.head,
    /^root org\.apache\.maven\.lifecycle\.LifecycleExecutionException: Failed to execute goal [^\n]+\n\nPlease refer/,
  )
  t.same(
    failure?.frames,
    [148, 156, 215].map(line => `org.apache.maven.lifecycle.internal.MojoExecutor.execute MojoExecutor.java:${line}`),
  )
  t.same(languagesOf(readTrace('maven-3.6-stack')), ['java'])
})

test("Android's own runtime prints the signature of a method and -1 for a line that it does not know", async t => {
  t.same(read('android-logcat-signatures')[0]?.frames, [
    'android.app.ActivityThread.-wrap12 ActivityThread.java:null',
    'android.app.ActivityThread.performLaunchActivity ActivityThread.java:2709',
    'android.app.Activity.performCreate Activity.java:6689',
    'com.elpassion.crweather.MainActivity.onCreate MainActivity.kt:23',
  ])
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
      'ArithmeticException Divide by zero\n\tclojure.lang.Numbers.divide (Numbers.java:163)\n\tuser/eval1 (NO_SOURCE_FILE:1)\n',
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

test('rendered rows with a space before the brackets are read back', async t => {
  const part = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
  const row = fc.record({
    name: fc.tuple(part, part, part).map(parts => parts.join('.')),
    line: fc.integer({ min: 1, max: 99_999 }),
  })
  fc.assert(
    fc.property(
      fc.uniqueArray(row, { minLength: 1, maxLength: 20, selector: one => `${one.name}:${one.line}` }),
      rows => {
        const text = `acme.Broken: no\n${rows.map(({ name, line }) => `    at ${name} (Till.java:${line})`).join('\n')}\n`
        t.same(readExceptions(text), [
          {
            head: 'root acme.Broken: no',
            frames: rows.toReversed().map(({ name, line }) => `${name} Till.java:${line}`),
          },
        ])
      },
    ),
    { numRuns: runs(100) },
  )
})

test('crash reporters print rows without "at", or an error without a message', async t => {
  t.match(read('android-crashlytics'), [
    {
      head: 'root java.lang.InternalError: Thread starting during runtime shutdown',
      frames: {
        length: 6,
        0: 'java.lang.Thread.run Thread.java:764',
        5: 'java.lang.Thread.nativeCreate Thread.java:null',
      },
    },
  ])
  t.same(
    readExceptions(
      'Exception acme.BrokenException:\n  at acme.Till.open (Till.kt:3)\n  at java.lang.reflect.Method.invoke (Method.java:-2)\n',
    ),
    [
      {
        head: 'root acme.BrokenException: null',
        frames: ['java.lang.reflect.Method.invoke Method.java:null', 'acme.Till.open Till.kt:3'],
      },
    ],
  )
})
