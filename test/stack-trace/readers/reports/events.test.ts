import { test } from 'tap'
import { languagesOf, readExceptions } from '../../../helpers/read-trace.ts'

const event = (extra: Record<string, unknown> = {}): string =>
  JSON.stringify({
    platform: 'java',
    exception: {
      values: [
        {
          type: 'CartException',
          value: 'no price',
          stacktrace: { frames: [{ filename: 'Cart.java', lineno: 12, module: 'com.acme.Cart', function: 'total' }] },
        },
      ],
    },
    ...extra,
  })

test("an event's exceptions are a failure of their own, in the language that the event names", async t => {
  const text = `INFO ready\n${event()}\nINFO stopped`
  t.same(readExceptions(text), [{ head: 'root CartException: no price', frames: ['com.acme.Cart.total Cart.java:12'] }])
  t.same(languagesOf(text), ['java'])
})

test('an event in an unknown language has none; several events are several failures, equal ones folded', async t => {
  t.same(languagesOf(event({ platform: 'cobol' })), [null])
  t.same(languagesOf(event({ platform: 12 })), [null])
  t.same(
    readExceptions([event(), event().replaceAll('total', 'pay'), event()].join('\n')).map(({ head }) => head),
    ['root CartException: no price ×2', 'root CartException: no price'],
  )
})
