import { FaultlineError } from '../../core/errors.ts'
import { CallFailure, errorIn200, failureFrom } from './call-failure.ts'
import { createOpenAiClient, secretsOf, type ModelServerAddress } from './openai-client.ts'
import { redact } from '../redaction/redact.ts'
import { hasFields } from './reply-parts.ts'
import { GaveUpError, tryModels, type RetryOptions } from './retry.ts'

/** The embeddings server and the limits of calls. */
export interface EmbeddingsOptions extends ModelServerAddress, Omit<RetryOptions, 'timeoutMs'> {
  model: string
  /** The length to ask the server for; leave it out for the model's own. */
  dimensions?: number
  /** Limit for one call: all its tries and waits. */
  timeoutMs?: number
  connectTimeoutMs?: number
  maxReplyBytes?: number
}

/** Embeds texts. The vectors are in the order of the texts, of one length, finite and not normalised. */
type EmbeddingsRequest = (texts: string[], signal?: AbortSignal) => Promise<number[][]>

const LITTLE_ENDIAN = true

function floatsOf(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64')
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  return Array.from({ length: Math.floor(bytes.byteLength / 4) }, (_, i) => view.getFloat32(i * 4, LITTLE_ENDIAN))
}

/**
 * Reads an embedding.
 *
 * @param embedding - An array of numbers, or little-endian 32-bit floats in base64.
 */
function numbersOf(embedding: unknown): number[] {
  const decoded: unknown = typeof embedding === 'string' ? floatsOf(embedding) : embedding
  const numbers: unknown[] = Array.isArray(decoded) ? decoded : []
  if (!numbers.every((value): value is number => Number.isFinite(value))) {
    throw new CallFailure('bad_reply', 'a vector held something else than finite numbers')
  }
  return numbers
}

function vectorsOf(reply: unknown, count: number, secrets: readonly string[]): number[][] {
  if (!hasFields(reply)) throw new CallFailure('bad_reply', 'the reply was not JSON')
  if (hasFields(reply.error)) throw errorIn200(reply.error, secrets)
  if (!Array.isArray(reply.data)) throw new CallFailure('bad_reply', 'the reply held no vectors')
  if (reply.data.length !== count) {
    throw new CallFailure('bad_reply', `the reply held ${reply.data.length} vectors for ${count} texts`)
  }
  const vectors = new Map<number, number[]>()
  for (const [position, item] of reply.data.entries()) {
    if (!hasFields(item)) throw new CallFailure('bad_reply', 'the reply held something else than vectors')
    vectors.set(typeof item.index === 'number' ? item.index : position, numbersOf(item.embedding))
  }
  const ordered = Array.from({ length: count }, (_, index) => vectors.get(index) ?? [])
  const length = ordered[0]?.length ?? 0
  if (length === 0 || ordered.some(vector => vector.length !== length)) {
    throw new CallFailure('bad_reply', 'the vectors were missing or of different lengths')
  }
  return ordered
}

function asFaultlineError({ last, attempts, model }: GaveUpError): FaultlineError {
  const isRefused = last.kind === 'rejected' || last.kind === 'too_large'
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  const said = isRefused ? 'refused the request' : `gave no usable answer after ${times}`
  return new FaultlineError(
    'EMBEDDING_UNAVAILABLE',
    `The embedding model ${model} ${said}: ${last.message}.`,
    'Check EMBEDDING_MODEL, EMBEDDING_BASE_URL and EMBEDDING_API_KEY, ' +
      'or unset EMBEDDING_MODEL to use the built-in embedder.',
    { cause: last },
  )
}

/**
 * The embeddings endpoint of an OpenAI-compatible server: one request per call, retried as `tryModels` says. Secrets in
 * the texts never leave.
 *
 * @throws {FaultlineError} EMBEDDING_UNAVAILABLE: no answer, a refusal, or unusable vectors.
 * @throws The signal's reason after an abort.
 */
export function createEmbeddingsRequest(options: EmbeddingsOptions): EmbeddingsRequest {
  const { model, dimensions, timeoutMs = 300_000, connectTimeoutMs = 10_000, maxReplyBytes = 64 << 20 } = options
  const secrets = secretsOf(options)
  const openai = createOpenAiClient(options, { connectTimeoutMs, timeoutMs, maxReplyBytes })

  return async (texts, signal) => {
    if (texts.length === 0) return []
    const input = texts.map(text => redact(text).text)
    const ask = async ({ signal }: { signal: AbortSignal }): Promise<number[][]> => {
      // Named, so that the library hands over what came as it came; it is a third of the size of JSON numbers. Servers
      // that do not know it answer with numbers.
      const body = {
        model,
        input,
        encoding_format: 'base64' as const,
        ...(dimensions === undefined ? {} : { dimensions }),
      }
      try {
        return vectorsOf(await openai.embeddings.create(body, { signal }), texts.length, secrets)
      } catch (error) {
        throw failureFrom(error, secrets, Date.now()) ?? error
      }
    }
    const { value } = await tryModels([model], ask, { ...options, timeoutMs, signal }).catch(error => {
      throw error instanceof GaveUpError ? asFaultlineError(error) : error
    })
    return value
  }
}
