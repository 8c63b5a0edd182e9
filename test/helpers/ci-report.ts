import type { ResolutionAnswer } from '../../src/contract/resolution.ts'
import type { CiReport } from '../../src/text/ci/report.ts'
import { frame, resolution } from './answers.ts'

/** A source that may hold the cause. */
export const source = (fields: Partial<ResolutionAnswer['sources'][number]> = {}) => ({
  repository: 'shop',
  path: 'src/prices.js',
  start_line: 1,
  end_line: 9,
  symbol: null,
  chunk_index: null,
  total_chunks: null,
  highlighted_lines: [],
  reason: 'related' as const,
  why: 'defines b',
  score: 0.5,
  tokens: 10,
  ...fields,
})

/** A fault in `src/app.js:4` whose cause may be in `src/prices.js`. */
export const fault = (fields: Partial<ResolutionAnswer> = {}): ResolutionAnswer =>
  resolution({
    exceptions: resolution().exceptions.map(exception => ({ ...exception, fingerprint: 'ab12', chain: 0 })),
    sources: [source()],
    ...fields,
  })

/** A fault with one exception of its own. */
export const faultOf = (
  exception: Partial<ResolutionAnswer['exceptions'][number]>,
  fields: Partial<ResolutionAnswer> = {},
) => fault({ exceptions: fault().exceptions.map(one => ({ ...one, ...exception })), ...fields })

/** A fault without a frame in the project. */
export const elsewhere = (): ResolutionAnswer =>
  faultOf({ type: 'ConnectionError', message: 'refused', fingerprint: 'cd34' }, { frames: [frame({})], sources: [] })

/** A report of these faults. */
export const report = (resolutions: ResolutionAnswer[], fields: Partial<CiReport> = {}): CiReport => ({
  projectName: 'shop',
  resolutions,
  left: 0,
  repositories: [{ repository: 'shop', url: 'https://ada:s3cret@git.example.com/acme/shop.git?x=1#y' }],
  ...fields,
})
