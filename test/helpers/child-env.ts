import { fileURLToPath } from 'node:url'

/** Where Node keeps what it compiled; `scripts/test.ts` gives the same folder to the tests themselves. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url))

/** Environment of each program of ours that a test starts, beside what the test is about. */
export const CHILD_ENV = {
  PATH: process.env.PATH ?? '',
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? COMPILE_CACHE,
}
