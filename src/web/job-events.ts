import type { JobEventAnswer } from '../contract/job.ts'

/** What a page keeps of a log beside the steps, and of what a model wrote piece by piece. */
const MAX_OTHERS = 400
const MAX_WRITTEN_CHARS = 1_800

/** Two pieces that a model wrote one after the other as one; of a long text its end. */
function joined(before: JobEventAnswer, piece: JobEventAnswer): JobEventAnswer {
  const text = `${String(before.data.text)}${String(piece.data.text)}`
  const isLong = text.length > MAX_WRITTEN_CHARS
  return { ...before, data: { ...before.data, text: isLong ? `… ${text.slice(-MAX_WRITTEN_CHARS + 2)}` : text } }
}

/** The events that a page needs of a job: all of its steps, and the newest of the others. */
export function eventsKept(events: readonly JobEventAnswer[]): JobEventAnswer[] {
  const rows: JobEventAnswer[] = []
  for (const event of events) {
    const before = rows.at(-1)
    if (event.event === 'token' && before?.event === 'token') rows[rows.length - 1] = joined(before, event)
    else rows.push(event)
  }
  let left = MAX_OTHERS
  return rows
    .toReversed()
    .filter(({ event }) => event === 'step' || left-- > 0)
    .toReversed()
}
