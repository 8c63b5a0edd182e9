import type { Test } from 'tap'
import { ModelError } from '../../src/core/errors.ts'
import { createLlm, type CallRecord, type Llm, type LlmOptions } from '../../src/llm/client/client.ts'
import { startModelServer, type ModelServer, type Reply } from '../fakes/model-server.ts'

export const MESSAGES = [{ role: 'user' as const, content: 'Why does it crash?' }]
export const API_KEY = 'key-0123456789'

interface ScriptedLlm {
  server: ModelServer
  /** Milliseconds of the waits between tries, which take no time here; `random` is 0.5. */
  waits: number[]
  /** What `onCall` was told. */
  calls: CallRecord[]
  llm: Llm
}

/** A client of a scripted server; `baseUrlSuffix` goes after the server's own `/v1`. */
export async function scriptedLlm(
  t: Test,
  chat: Reply[],
  { baseUrlSuffix = '', ...options }: Partial<LlmOptions> & { baseUrlSuffix?: string } = {},
): Promise<ScriptedLlm> {
  const server = await startModelServer({ chat })
  t.teardown(() => server.close())
  const waits: number[] = []
  const calls: CallRecord[] = []
  const llm = createLlm({
    baseUrl: `${server.baseUrl}${baseUrlSuffix}`,
    apiKey: API_KEY,
    model: 'big',
    random: () => 0.5,
    sleep: async ms => {
      waits.push(ms)
    },
    onCall: call => calls.push(call),
    ...options,
  })
  return { server, waits, calls, llm }
}

/** The error that a call ends with; anything but a ModelError fails the test. */
export async function failureOf(promise: Promise<unknown>): Promise<ModelError> {
  const error = await promise.then(
    () => new Error('did not fail'),
    (error: unknown) => error,
  )
  if (!(error instanceof ModelError)) throw error
  return error
}
