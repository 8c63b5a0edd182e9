import { WorkerLostError } from '../core/errors.ts'
import { startThread } from './entry.ts'
import type { FitWorker } from './fit-worker.ts'
import { remoteOf } from './rpc.ts'

/**
 * Learns a space again from its sample, in a thread that ends with it: about a second in which others are not kept
 * waiting.
 *
 * @throws {RangeError} The sample is damaged, or the thread broke down.
 */
export async function learnInThread(sample: Uint8Array): Promise<Uint8Array> {
  const remote = remoteOf<FitWorker>(() => startThread('fit-worker', {}), { onCrash: () => {} })
  try {
    const answer = await remote.learn(sample)
    if ('damaged' in answer) throw new RangeError(answer.damaged)
    return answer.fit
  } catch (error) {
    if (error instanceof WorkerLostError) throw new RangeError('What learns broke down.', { cause: error })
    throw error
  } finally {
    await remote.close()
  }
}
