import type { FrameAnswer, ResolutionAnswer } from '../../src/contract/resolution.ts'

/** A frame as an answer shows it: one of the runtime, unless the fields say otherwise. */
export const frame = (fields: Partial<FrameAnswer>): FrameAnswer => ({
  index: 0,
  exception: 0,
  raw: 'at f (/srv/app.js:3:1)',
  file: '/srv/app.js',
  line: 3,
  column: 1,
  function: 'f',
  repeat: 1,
  in_project: false,
  repository: null,
  path: null,
  code_line: null,
  match: 'none',
  why: 'the frame is in the runtime',
  candidates: [],
  ...fields,
})

/** An answer about one fault whose last frame is in the project. */
export const resolution = (fields: Partial<ResolutionAnswer> = {}): ResolutionAnswer => ({
  id: 'res_1',
  project_name: 'shop',
  commit: '0123456789abcdef0123456789abcdef01234567',
  index_state: 'ready',
  exceptions: [
    {
      index: 0,
      type: 'TypeError',
      message: 'no price',
      language: 'node',
      relation: 'root',
      fingerprint: null,
      count: 1,
    },
  ],
  frames: [
    frame({ file: 'node:internal/main', line: 100, function: null }),
    frame({
      in_project: true,
      repository: 'shop',
      path: 'src/app.js',
      code_line: 4,
      match: 'suffix',
      why: 'stack root /srv/ is source root src/',
      repeat: 3,
    }),
  ],
  frames_total: 2,
  sources: [],
  context: '=== File: src/app.js [lines 3-4] ===\n     3 | a\n>>>  4 | b()',
  context_tokens: 12,
  tokenizer: 'o200k',
  dropped: [],
  suspect_commits: [],
  suspects_status: 'shallow_history',
  answer: null,
  answer_status: 'not_configured',
  answer_error: null,
  model: null,
  usage: { llm_calls: 0, prompt_tokens: 0, completion_tokens: 0, usd: null },
  timings_ms: { parse: 1, map: 1, retrieve: 1, context: 1, llm: 0, total: 4 },
  ...fields,
})

/** A later commit that changed the failing code. */
export const later = (
  fields: Partial<NonNullable<ResolutionAnswer['changed_since']>[number]> = {},
): NonNullable<ResolutionAnswer['changed_since']>[number] => ({
  commit: 'abcdef0123456789abcdef0123456789abcdef01',
  date: '2026-03-01T12:00:00.000Z',
  summary: 'Mend it',
  path: 'src/app.js',
  lines: [4],
  ...fields,
})
