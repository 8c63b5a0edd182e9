import { fileURLToPath } from 'node:url'

/** Where Node keeps what it compiled; `scripts/test.ts` gives the same folder to the tests themselves. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url))

/** In tests without HNSW the processes that they start have none either. */
const options = process.env.FAULTLINE_TEST_OPTIONS

/** Environment of each program of ours that a test starts, beside what the test is about. */
export const CHILD_ENV = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? COMPILE_CACHE,
  ...(options === undefined ? {} : { NODE_OPTIONS: options }),
}
