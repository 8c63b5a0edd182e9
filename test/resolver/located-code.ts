import type { LocatedCode } from '../../src/core/resolution.ts'

/** Code that was located for a text without exceptions and frames. */
export const LOCATED_CODE: LocatedCode = {
  projectName: 'shop',
  commit: 'c'.repeat(40),
  indexState: 'ready',
  exceptions: [],
  frames: [],
  framesTotal: 0,
  sources: [],
  context: 'x'.repeat(1000),
  contextTokens: 12,
  tokenizer: 'o200k_base',
  dropped: [],
  marked: { lines: [], tracedAt: null },
  degraded: false,
  timingsMs: { parse: 1, map: 2, retrieve: 3, context: 4 },
}
