import { setTimeout as delay } from 'node:timers/promises'

const OVERLOADED = 503
const AGAIN_MS = 500
const MOST = 60

/**
 * Sends a request again that a server on a busy machine has put off, as any client would: that happens above all after
 * its start.
 *
 * @param send - Makes the same request each time.
 * @returns The answer; after half a minute also one that puts the request off.
 */
export async function patient(send: () => Promise<Response>): Promise<Response> {
  let answer = await send()
  for (let again = 0; answer.status === OVERLOADED && again < MOST; again++) {
    await answer.arrayBuffer() // the connection is of use again
    await delay(AGAIN_MS)
    answer = await send()
  }
  return answer
}
