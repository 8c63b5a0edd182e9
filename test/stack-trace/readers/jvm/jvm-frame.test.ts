import fc from 'fast-check'
import { test } from 'tap'
import { jvmFrame } from '../../../../src/stack-trace/readers/jvm/jvm-frame.ts'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'
import { runs } from '../../../helpers/property-runs.ts'

const read = (name: string) => readExceptions(readTrace(name))

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
