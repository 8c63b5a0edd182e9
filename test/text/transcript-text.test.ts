import { test } from 'tap'
import type { TranscriptEntryAnswer } from '../../src/contract/transcript.ts'
import { plain } from '../../src/text/paint.ts'
import { transcriptText } from '../../src/text/transcript-text.ts'

test('a transcript is read from the top, each entry with its words', t => {
  const entry = (fields: object) => ({ at: 'now', step: 'draft', ...fields }) as unknown as TranscriptEntryAnswer
  const run = {
    kind: 'command',
    argv: ['bash', 'run.sh'],
    exit_code: 2,
    signal: null,
    timed_out: false,
    duration_ms: 5,
  }
  const killed = { ...run, exit_code: null, signal: 'SIGKILL', stdout: '', stderr: '' }
  const log = { kind: 'task', agent: 'coder', action: 'generate' }
  const text = transcriptText(
    [
      entry({ kind: 'created', step: null, type: 'generate', key_name: 'ann', body: { prompt: 'x' } }),
      entry({ kind: 'messages', model: 'm', messages: [{ role: 'user', content: 'Write\u001b[31m it.' }] }),
      entry({ kind: 'reply', model: 'm', text: 'Done.\n' }),
      entry({ kind: 'model_error', model: 'm', code: 'LLM_UNAVAILABLE', message: 'No answer.' }),
      entry({ kind: 'question', name: 'q', request: { kind: 'clarification', question: 'Which?' } }),
      entry({ kind: 'answer', name: 'q', key_name: null, reply: { answer: 'green' } }),
      entry({ ...run, stdout: 'out\n', stderr: 'err' }),
      entry({ ...killed, timed_out: true }),
      entry(killed),
      entry({ ...log, input_summary: 'attempt 1', output_summary: '2 files', tokens_used: 12, duration_ms: 5 }),
      entry({ ...log, input_summary: null, output_summary: null, tokens_used: null, duration_ms: null }),
    ],
    plain,
  )
  t.equal(
    text,
    [
      'now  generate made by ann\n{\n  "prompt": "x"\n}',
      'now  draft  asked m\n[user]\nWrite\\u001B[31m it.',
      'now  draft  m replied\nDone.',
      'now  draft  m failed: LLM_UNAVAILABLE\nNo answer.',
      'now  draft  asked a person\nWhich?',
      'now  draft  a person replied\n{"answer":"green"}',
      'now  draft  ran bash run.sh: exit code 2, 5 ms\nout\n\nerr',
      'now  draft  ran bash run.sh: took too long, 5 ms',
      'now  draft  ran bash run.sh: killed (SIGKILL), 5 ms',
      'now  draft  coder: generate (12 tokens, 5 ms)\nattempt 1\n2 files',
      'now  draft  coder: generate',
    ].join('\n\n'),
  )
  t.end()
})
