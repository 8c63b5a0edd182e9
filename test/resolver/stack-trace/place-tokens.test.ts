import { test } from 'tap'
import { parseStackTrace } from '../../../src/resolver/stack-trace/parse.ts'
import { summary } from '../../helpers/trace-summary.ts'

test('where no reader found a frame, words that are places of source files are taken', async (t) => {
  t.same(summary('the total is wrong, see src/cart.ts:12:5 and lib/till.py#L9'), [{ head: 'root null: the total is wrong, see src/cart.ts:12:5 and lib/till.py#L9', frames: ['lib/till.py:9 null', 'src/cart.ts:12:5 null'] }])
  t.equal(parseStackTrace('it fails in src/cart.ts:12').exceptions[0]?.language, 'typescript')
})

test('lines in a row that hold one are a stack, innermost first unless it says otherwise', async (t) => {
  t.same(summary('Fault: no till\n  open in lib/till.nim:9\n  main in main.nim:3\n'), [{ head: 'root null: Fault: no till', frames: ['main.nim:3 null', 'lib/till.nim:9 null'] }])
  t.same(summary('Traceback (most recent call last)\n  main in main.nim:3\n  open in lib/till.nim:9\n')[0]?.frames, ['main.nim:3 null', 'lib/till.nim:9 null'])
})

test('hosts, versions, times and files of other kinds are no places', async (t) => {
  for (const line of ['localhost:8080', 'example.com:443', 'v1.2.3:4', 'at 10:30:15', 'photo.png:12', 'server.log:12', 'http://example.com:80/']) t.same(parseStackTrace(line).frames, [], line)
})

test('next to a frame that a reader found, such words count for nothing', async (t) => {
  t.same(parseStackTrace('see src/cart.ts:12\nTraceback (most recent call last):\n  File "/srv/a.py", line 3, in f\nKeyError: 1').frames.map(({ file }) => file), ['/srv/a.py'])
})

test('a long word without an ending, or many places, end in time', async (t) => {
  for (const unit of ['a', 'a/', 'a.', '.c:', 'a.c:1 ', '-', '@a.c']) t.ok(parseStackTrace(`${unit.repeat(3000)}\n`.repeat(200)).framesTotal >= 0, unit)
})
