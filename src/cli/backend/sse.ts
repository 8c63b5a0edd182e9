/** One event of an event stream. */
export interface ServerEvent {
  event: string
  /** As `Last-Event-ID` takes it; empty where the event has none. */
  id: string
  data: string
}

const LINE_END = /\r\n|\n|\r(?!$)/g // a carriage return at the end may be half of a pair

/** The events of a `text/event-stream` body, without comments. An incomplete last event is dropped. */
export async function* readEvents(body: AsyncIterable<Uint8Array>): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder()
  const pending: string[] = [] // pieces of a line that has not ended: joined once, however many chunks it takes
  let event = 'message'
  let id = ''
  let data: string[] = []
  for await (const bytes of body) {
    pending.push(decoder.decode(bytes, { stream: true }))
    if (!/[\r\n]/.test(pending.at(-1) ?? '')) continue
    const lines = pending.join('').split(LINE_END)
    pending.length = 0
    pending.push(lines.pop() ?? '')
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0) yield { event, id, data: data.join('\n') }
        event = 'message'
        id = ''
        data = []
        continue
      }
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
      if (name === 'event') event = value
      else if (name === 'id') id = value
      else if (name === 'data') data.push(value)
    }
  }
}
