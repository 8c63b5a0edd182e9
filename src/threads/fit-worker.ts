import { parentPort } from 'node:worker_threads'
import { learnAgain } from '../embedding/lsa/lsa-sample-file.ts'
import { serve } from './rpc.ts'

/** What the thread serves. */
export interface FitWorker {
  learn(sample: Uint8Array): Promise<{ fit: Uint8Array } | { damaged: string }>
  close(): Promise<void>
}

const functions: FitWorker = {
  async learn(sample) {
    try {
      return { fit: learnAgain(sample) }
    } catch (error) {
      if (error instanceof RangeError) return { damaged: error.message }
      throw error
    }
  },
  close: async () => {},
}

if (parentPort !== null) serve(parentPort, functions)
