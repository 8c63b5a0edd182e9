// The real server, but only indexing has a thread of its own: it starts in half the time. For tests that kill it often.
import { serve } from '../../src/server.ts'
import { INLINE_BUT_INDEXING } from './inline-threads.ts'

await serve({}, { starter: INLINE_BUT_INDEXING })
