import { test } from 'tap'
import type { TranscriptEntry } from '../../../../src/core/job.ts'
import { openSqliteStore } from './fixture.ts'

const reply = (text: string): TranscriptEntry => ({
  kind: 'reply',
  model: 'm',
  text,
  finishReason: 'stop',
  usage: { llmCalls: 1, promptTokens: 1, completionTokens: 1, usd: null },
})

test('a large entry is packed, a small one is text; both come back as they were, with their time and step', async t => {
  const { store, makeRun, rows } = openSqliteStore(t, () => new Date('2026-01-01T00:00:00Z'))
  const run = await makeRun()
  await store.transcript.add(run, null, reply('small'))
  await store.transcript.add(run, 's', reply('large '.repeat(4_000)))
  t.match(rows('SELECT entry IS NULL AS packed, length(packed) < 1000 AS short FROM job_transcript ORDER BY id'), [
    { packed: 0 },
    { packed: 1, short: 1 },
  ])
  t.same(await store.transcript.all(run.seq), [
    { at: '2026-01-01T00:00:00.000Z', step: null, entry: reply('small') },
    { at: '2026-01-01T00:00:00.000Z', step: 's', entry: reply('large '.repeat(4_000)) },
  ])
})
