import { setTimeout as delay } from 'node:timers/promises'

const OVERLOADED = 503
const AGAIN_MS = 500

/**
 * As `fetch`. A server on a busy machine puts requests off, above all after its start: they are sent again, as any
 * client would.
 *
 * @param send - Makes the same request each time.
 */
export async function patient(send: () => Promise<Response>): Promise<Response> {
  for (;;) {
    const answer = await send()
    if (answer.status !== OVERLOADED) return answer
    await answer.arrayBuffer() // the connection is of use again
    await delay(AGAIN_MS)
  }
}
