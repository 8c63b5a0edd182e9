/** An event of an event stream with its data, which are JSON. */
interface ServerEvent {
  event: string | undefined
  data: Record<string, unknown>
}

/** The events of a whole stream; the comments that keep it open are left out. */
export const eventsOf = (body: string): ServerEvent[] =>
  body
    .split('\n\n')
    .filter(block => block.includes('event: '))
    .map(block => ({
      event: /^event: (.*)$/m.exec(block)?.[1],
      data: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? 'null'),
    }))
