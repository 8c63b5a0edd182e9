import { test } from 'tap'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

const read = (name: string) => readExceptions(readTrace(name))

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

test('an error whose stack the VM left out, and a cause below a message alone', async t => {
  t.same(readExceptions('Exception in thread "main" java.lang.NullPointerException\nnext line'), [
    { head: 'root java.lang.NullPointerException: null', frames: [] },
  ])
  t.same(readExceptions('com.acme.Oops: outer\nCaused by: com.acme.Inner: inner\n\tat a.B.c(B.java:1)\n'), [
    { head: 'root com.acme.Oops: outer', frames: [] },
    { head: 'cause com.acme.Inner: inner', frames: ['a.B.c B.java:1'] },
  ])
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
      'Exception acme.BrokenException:\n  at acme.Till.open (Till.kt:3)\n' +
        '  at java.lang.reflect.Method.invoke (Method.java:-2)\n',
    ),
    [
      {
        head: 'root acme.BrokenException: null',
        frames: ['java.lang.reflect.Method.invoke Method.java:null', 'acme.Till.open Till.kt:3'],
      },
    ],
  )
})
