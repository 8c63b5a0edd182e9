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

test('without a deadlock the main thread stands for a dump, or else its first', async t => {
  const thread = (name: string): string =>
    `"${name}" #1 prio=5 tid=0x1 nid=0x2 waiting on condition\n   java.lang.Thread.State: WAITING (parking)\n` +
    `\tat com.acme.${name}.run(${name}.java:3)\n\n`
  const roots = (...names: string[]): string[] =>
    readExceptions(names.map(thread).join('')).flatMap(({ head }) => (head.startsWith('root') ? [head] : []))
  t.same(roots('Till', 'main', 'Shop'), ['root null: thread "main" WAITING (parking)'])
  t.same(roots('Till', 'Shop'), ['root null: thread "Till" WAITING (parking)'])
  t.same(roots('Till'), ['root null: thread "Till" WAITING (parking)'])
})
