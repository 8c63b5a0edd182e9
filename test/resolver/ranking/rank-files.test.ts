import { test } from 'tap'
import { memoryCodeReader, numberedFile } from '../../fakes/memory-code-reader.ts'
import { readTrace } from '../../helpers/trace-fixtures.ts'
import { find } from '../locate-in.ts'

test('the failing frame comes first, its callers after it, causes after both', async t => {
  const reader = memoryCodeReader({
    'py/cause.py': numberedFile(20),
    'py/store.py': numberedFile(20),
    'py/other.py': numberedFile(20),
  })
  const { sources } = await find(reader, { stackTrace: readTrace('python-3.11-cause') })
  t.same(
    sources.slice(0, 2).map(({ path, why }) => [path, why.split(';')[0]]),
    [
      ['py/store.py', 'failing frame'],
      ['py/cause.py', 'frame 3, a caller of the failing one'],
    ],
  )
  t.ok(sources.every(({ score }, i) => score > 0 && score <= (sources[i - 1]?.score ?? 1)))
})

test(
  'a file of the trace that is not in the index leaves what its name, its functions and the message lead ' + 'to',
  async t => {
    const reader = memoryCodeReader({
      'src/orders.py': 'def ship(order):\n    raise ValueError("no address")\n',
      'src/x.py': numberedFile(9),
    })
    const { sources, frames } = await find(
      reader,
      {
        stackTrace:
          'Traceback (most recent call last):\n  File "/app/legacy_orders.py", line 3, in ship\n    go()\n' +
          'ValueError: no address',
      },
      { embedQuery: async () => null },
    )
    t.match(frames, [{ match: 'none', inProject: false }])
    t.match(sources[0], { path: 'src/orders.py', reason: /^(?:lexical|related)$/ })
  },
)

test('text without a frame is searched by its words', async t => {
  const reader = memoryCodeReader({
    'src/discount.py': 'def apply_discount(cart):\n    raise ValueError\n',
    'src/other.py': 'x = 1\n',
  })
  const { sources, exceptions, context } = await find(
    reader,
    { stackTrace: 'the discount of my cart is wrong' },
    { embedQuery: async () => null },
  )
  t.same(exceptions, [])
  t.match(sources, [{ path: 'src/discount.py' }])
  t.match(context, /^=== File: src\/discount\.py/)
})

test('only the failure in question has a failing frame; another one in the project does not stand for it', async t => {
  const reader = memoryCodeReader({
    'src/other.py': 'def work():\n    raise KeyError\n',
    'src/discount.py': 'def apply_discount():\n    pass\n',
  })
  const one =
    'Traceback (most recent call last):\n  File "/srv/src/other.py", line 2, in work\n    raise KeyError\n' +
    'KeyError: 1\n\n'
  const two =
    'Traceback (most recent call last):\n' +
    '  File "/usr/lib/python3.11/json/decoder.py", line 3, in apply_discount\n    go()\n' +
    'ValueError: apply_discount\n'
  const { sources } = await find(reader, { stackTrace: one + two }, { embedQuery: async () => null })
  const other = sources.find(({ path }) => path === 'src/other.py')
  t.match(other, { reason: 'frame', why: 'frame 0 of another failure in the text (KeyError)' })
  t.ok(
    sources.some(({ path }) => path === 'src/discount.py'),
    'the failure itself is searched for',
  )
})
