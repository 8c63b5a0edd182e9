import fc from 'fast-check'
import { test } from 'tap'
import { readEvents, type ServerEvent } from '../../../src/cli/backend/sse.ts'
import { runs } from '../../helpers/property-runs.ts'

async function eventsOf(...chunks: Array<string | Uint8Array>): Promise<ServerEvent[]> {
  async function* body() {
    for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk
  }
  const events: ServerEvent[] = []
  for await (const event of readEvents(body())) events.push(event)
  return events
}

test('events have a name, an id and data; comments are not events', async t => {
  t.strictSame(await eventsOf(': open\n\n', 'id: 7\nevent: token\ndata: {"text":"a"}\n\n', 'data: plain\n\n'), [
    { event: 'token', id: '7', data: '{"text":"a"}' },
    { event: 'message', id: '', data: 'plain' },
  ])
  t.strictSame(await eventsOf('data: one\ndata: two\n\n'), [{ event: 'message', id: '', data: 'one\ntwo' }])
  t.strictSame(await eventsOf('event: a\r\ndata:b: c\r\n\r\n'), [{ event: 'a', id: '', data: 'b: c' }])
})

test('an event that was cut off is not given', async t => {
  t.strictSame(await eventsOf('data: one\n\ndata: tw'), [{ event: 'message', id: '', data: 'one' }])
  t.strictSame(await eventsOf('data: one\n'), [])
})

test('it does not matter how the bytes arrive', async t => {
  const line = fc.string({ unit: 'grapheme', maxLength: 12 }).map(text => text.replace(/[\r\n]/g, ''))
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 4 }), fc.array(fc.nat(60), { maxLength: 6 }), async (texts, cuts) => {
      const bytes = new TextEncoder().encode(texts.map(text => `event: token\ndata: ${text}\n\n`).join(''))
      const places = [0, ...cuts.filter(cut => cut < bytes.length).sort((a, b) => a - b), bytes.length]
      const chunks = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
      const events = await eventsOf(...chunks)
      return JSON.stringify(events) === JSON.stringify(texts.map(data => ({ event: 'token', id: '', data })))
    }),
    { numRuns: runs(50) },
  )
  t.pass()
})
