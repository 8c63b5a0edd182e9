import { test } from 'tap'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

const read = (name: string) => readExceptions(readTrace(name))

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
