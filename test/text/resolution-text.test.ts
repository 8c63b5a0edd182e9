import { test } from 'tap'
import { plain } from '../../src/text/paint.ts'
import { answerText, contextText, locatedText, nextText } from '../../src/text/resolution-text.ts'
import { frame, later, resolution } from '../helpers/answers.ts'

test('suspect commits stand below the code, on one line each, whatever their subjects hold', async t => {
  const suspect = {
    commit: 'abcdef0123456789abcdef0123456789abcdef01',
    author: 'Ada',
    date: '2026-03-01T12:00:00.000Z',
    summary: 'Count\u001b[31m twice',
    path: 'src/app.js',
    lines: [4],
    score: 0.9,
    why: 'last changed the failing line src/app.js:4',
  }
  const text = locatedText(resolution({ suspect_commits: [suspect], suspects_status: 'timed_out' }), plain)
  t.match(
    text,
    /\n\nSuspect commits \(the time was up; there may be others\)\n {2}abcdef0\S* +2026-03-01 +Ada +Count.* last changed the failing line src\/app\.js:4\n\n/,
  )
  t.notOk(text.includes('\u001b'))
  t.notMatch(locatedText(resolution(), plain), /Suspect/)
  t.match(locatedText(resolution({ suspects_status: 'pending' }), plain), /Who changed these lines is still being/)
})

test('the error comes first, then its frames with the place in the repository, then the code', async t => {
  t.equal(
    locatedText(resolution(), plain),
    [
      'TypeError: no price',
      '     node:internal/main:100  (top level)  the frame is in the runtime',
      '  >  src/app.js:4            f (3 times)  stack root /srv/ is source root src/',
      '',
      '=== File: src/app.js [lines 3-4] ===',
      '     3 | a',
      '>>>  4 | b()',
      '',
      'Code of shop as committed in 0123456789, 12 tokens of context.',
    ].join('\n'),
  )
})

test('each error of a chain has its own frames and says how it belongs there', async t => {
  const text = locatedText(
    resolution({
      exceptions: [
        {
          index: 0,
          type: 'KeyError',
          message: "'a'",
          language: 'python',
          relation: 'cause',
          fingerprint: null,
          count: 2,
        },
        { index: 1, type: null, message: null, language: 'python', relation: 'root', fingerprint: null, count: 1 },
      ],
      frames: [
        frame({ exception: 0, function: 'first' }),
        frame({ exception: 1, function: 'second' }),
        frame({ exception: 7, function: 'stray' }),
      ],
    }),
    plain,
  )
  t.match(
    text,
    /^KeyError: 'a' {2}\(the cause of another one, 2 times\)\n.* first .*\n\nAn error\n.* second .*\n\n.* stray /,
  )
})

test('of very many frames both ends are shown', async t => {
  const frames = Array.from({ length: 200 }, (_value, index) => frame({ index, function: `f${index}` }))
  const lines = locatedText(resolution({ frames }), plain).split('\n')
  t.match(lines[30], / f29 /)
  t.equal(lines[31], '    … 140 more frames …')
  t.match(lines[32], / f170 /)
})

test('what others wrote cannot steer the terminal', async t => {
  const text = locatedText(
    resolution({
      exceptions: [
        {
          index: 0,
          type: 'E\u001B[2J',
          message: 'a\nb\u0007',
          language: 'node',
          relation: 'root',
          fingerprint: null,
          count: 1,
        },
      ],
      frames: [frame({ function: 'f\u001B]0;x\u0007', file: '/a\rb.js', why: '\u009B1A' })],
      context: 'x\u001B[31m',
      dropped: [
        {
          repository: 'shop',
          path: 'a\u001B.js',
          start_line: 1,
          end_line: 2,
          reason: 'similar',
          score: 0.1,
          tokens: 9,
        },
      ],
    }),
    plain,
  )
  // eslint-disable-next-line no-control-regex -- none of them may come through
  t.notMatch(text, /[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/)
  const answer = { text: 'use \u001B[8mthis', explanation: '', fix: '', patch: null, patch_status: 'none' }
  t.notMatch(answerText(resolution({ answer, answer_status: 'ok', model: 'm\u001B' }), plain), '\u001B')
  t.notMatch(
    answerText(
      resolution({ answer_status: 'failed', answer_error: { code: 'LLM_BAD_REPLY', message: '\u001B[1m' } }),
      plain,
    ),
    '\u001B',
  )
})

test('text without a trace, code that was not found and what was left out are said', async t => {
  t.match(
    locatedText(resolution({ exceptions: [], frames: [], context: '' }), plain),
    /^There is no stack trace.*\n\nNo code was found/,
  )
  const dropped = Array.from({ length: 7 }, (_value, index) => ({
    repository: 'shop',
    path: `f${index}.js`,
    start_line: 1,
    end_line: 9,
    reason: 'similar' as const,
    score: 0.1,
    tokens: 9,
  }))
  t.match(locatedText(resolution({ dropped }), plain), /Left out .*--max-context-tokens.*: f0\.js:1-9, .* and 2 more\n/)
  t.match(locatedText(resolution({ index_state: 'degraded' }), plain), /the index is degraded\.$/)
})

test('the answer says who gave it and what it cost; without one it says how to get one', async t => {
  const answer = { text: '## Cause\n\nx\n', explanation: 'x', fix: '', patch: null, patch_status: 'none' }
  const answered = resolution({
    answer,
    answer_status: 'ok',
    model: 'qwen',
    usage: { llm_calls: 1, prompt_tokens: 900, completion_tokens: 80, usd: 0.00123 },
    timings_ms: { ...resolution().timings_ms, llm: 2345 },
  })
  t.equal(
    answerText(answered, plain),
    '--- Explanation ---\n\n## Cause\n\nx\n\n' +
      'Answer of qwen: 900 tokens in, 80 out, 0.0012 USD, 2.3 s. A model wrote it; nothing has been run.',
  )
  t.match(answerText(answered, plain, { streamed: true }), /^Answer of qwen/)
  t.match(answerText(resolution(), plain), /Set LLM_BASE_URL and LLM_MODEL/)
  t.match(answerText(resolution({ answer_status: 'not_requested' }), plain), /mode "answer"/)
  t.match(
    answerText(
      resolution({
        answer_status: 'failed',
        answer_error: { code: 'LLM_UNAVAILABLE', message: 'no answer after 3 attempts' },
      }),
      plain,
    ),
    /no answer after 3 attempts/,
  )
})

test('the hints at the end fit what was found', async t => {
  const two = resolution({
    exceptions: [0, 1].map(index => ({
      index,
      type: 'E',
      message: null,
      language: 'node',
      relation: 'root' as const,
      fingerprint: null,
      count: 1,
    })),
  })
  t.match(nextText(two, plain, { inRepository: false }), /--exception 0 .*2 failures/)
  t.match(nextText(resolution(), plain, { inRepository: false }), /search "words" --project shop/)
  t.notMatch(nextText(resolution(), plain, { inRepository: true }), /search/)
})

test('colours mark the headers and the lines of the trace', async t => {
  const marked = contextText(
    '=== File: a ===\n     1 | x\n>>>  2 | y',
    (format, text) => `<${[format].flat().join(' ')}>${text}</>`,
  )
  t.equal(marked, '<bold cyan>=== File: a ===</>\n     1 | x\n<bold yellow>>>>  2 | y</>')
})

test('a short answer is one page: names of further files, frames outside of the project counted', t => {
  const rows = Array.from({ length: 200 }, (_, i) => `${i === 99 ? '>>>' : '   '} ${String(i + 1).padStart(5)} | x`)
  const text = locatedText(
    resolution({
      frames_omitted: 7,
      context: `=== File: src/app.js [lines 1-200] ===\n${rows.join('\n')}`,
      dropped: Array.from({ length: 12 }, (_, i) => `src/other_${i}.js`),
    }),
    plain,
  )
  t.match(text, />>> +100 \| x/)
  t.match(text, /7 more frames are farther away or in libraries \(--full shows all\)/)
  t.match(text, /\d+ further lines of code \(--full shows all\)/)
  t.match(text, /^Less likely: src\/other_0\.js, /m)
  t.match(text, /src\/other_4\.js and 7 more$/m)
  t.ok(text.split('\n').length <= 52, `${text.split('\n').length} lines`)
  t.end()
})

test('of a short answer with many errors the last ones are shown, each with a few frames', t => {
  const [first] = resolution().exceptions
  if (first === undefined) throw new Error('an exception was expected')
  const exceptions = Array.from({ length: 9 }, (_, index) => ({ ...first, index, message: 'y'.repeat(2_000) }))
  const frames = exceptions.flatMap(({ index }) => Array.from({ length: 20 }, () => frame({ exception: index })))
  const lines = locatedText(resolution({ frames_omitted: 0, exceptions, frames }), plain).split('\n')
  t.ok(lines.length <= 60, `${lines.length} lines`)
  t.match(lines[0], /^5 earlier errors \(--full shows all\)\.$/)
  t.ok(Math.max(...lines.map(({ length }) => length)) < 500)
  t.end()
})

test('what to doubt is said before the code, once', t => {
  const text = locatedText(resolution({ notice: 'Low confidence: no file stands out.' }), plain)
  t.match(text, /Low confidence: no file stands out\.\n\n=== File/)
  t.end()
})

test('later changes stand above the suspects; a failing line that is gone is said first', async t => {
  const changes = Array.from({ length: 5 }, (_, index) =>
    later({ summary: `Change\u001b[31m ${index}`, lines: [3, 4, 7] }),
  )
  const text = locatedText(resolution({ changed_since: changes, failing_line_gone: false }), plain)
  t.match(
    text,
    /\n\nChanged since by later commits\n {2}abcdef0123 {2}2026-03-01 {2}Change.* 0 {2}src\/app\.js:3-4,7\n/,
  )
  t.notMatch(text, '\u001b')
  t.match(text, / 4 {2}src/)
  const page = locatedText(resolution({ changed_since: changes, failing_line_gone: true, frames_omitted: 0 }), plain)
  t.match(page, /Already fixed\? The failing line is not there any more in the indexed code\.\n {2}abcdef0123/)
  t.match(page, / 2 {2}src.*\n {2}and 2 more\n/)
  t.match(locatedText(resolution({ changed_since: [], failing_line_gone: true }), plain), /indexed code\.\n\n/)
  t.notMatch(locatedText(resolution({ changed_since: [], failing_line_gone: false }), plain), /since/)
})
