import { eventAt } from '../../layout/clean.ts'
import { lineAt } from '../../lines.ts'
import type { TraceReader } from '../../trace-reader.ts'

/** Exceptions that an error tracker's event gave with their frames, whatever the language. */
export const events: TraceReader = {
  language: 'unknown',
  opens: ['\u0001'],
  read(text, at) {
    const event = text.events?.[eventAt(lineAt(text.lines, at))]
    return event === undefined
      ? null
      : { exceptions: event.exceptions.map(exception => ({ ...exception })), next: at + 1, language: event.language }
  },
}
