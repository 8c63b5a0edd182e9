import type { TSchema } from 'typebox'
import { CallFailure } from '../client/call-failure.ts'

/** What a reply in JSON must look like. */
export interface JsonSchema {
  /** A name for the server: letters, digits, `_` and `-`. */
  name: string
  schema: TSchema
}

interface FormatFields {
  response_format?: {
    type: 'json_schema'
    json_schema: { name: string; schema: Record<string, unknown>; strict: boolean }
  }
}

/** For one call: what to send for the schema to each model, and how to handle a refusal. */
interface CallFormat {
  fieldsFor(model: string): FormatFields
  worked(model: string): void
  failed(model: string, failure: CallFailure): CallFailure
}

/**
 * Whether every object in a schema requires all its fields and allows no others: otherwise servers refuse the strict
 * mode.
 */
function isStrict(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.every(isStrict)
  if (typeof schema !== 'object' || schema === null) return true
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown>
  if (type === 'object') {
    const names = Object.keys(properties ?? {})
    if (additionalProperties !== false || !Array.isArray(required) || names.some(name => !required.includes(name))) {
      return false
    }
  }
  return Object.values(schema).every(isStrict)
}

function formatOf({ name, schema }: JsonSchema): NonNullable<FormatFields['response_format']> {
  // without what TypeBox keeps beside the schema
  const plain = JSON.parse(JSON.stringify(schema)) as Record<string, unknown>
  return { type: 'json_schema', json_schema: { name, schema: plain, strict: isStrict(plain) } }
}

/**
 * Asks servers for replies that fit a schema. Many do not know `response_format` and refuse the request in various
 * words: such a request is sent once more without it. When that succeeds, the model is not asked for it again as long
 * as the process runs.
 */
export class JsonFormats {
  readonly #refusedBy = new Set<string>()

  of(json: JsonSchema | undefined): CallFormat {
    const withoutFormat = new Set(this.#refusedBy)
    const isAsked = (model: string): boolean => json !== undefined && !withoutFormat.has(model)
    return {
      fieldsFor: model => (json !== undefined && isAsked(model) ? { response_format: formatOf(json) } : {}),
      worked: model => {
        if (withoutFormat.has(model)) this.#refusedBy.add(model)
      },
      failed(model, failure) {
        if (!isAsked(model) || failure.kind !== 'rejected' || !(failure.status === 400 || failure.status === 422)) {
          return failure
        }
        withoutFormat.add(model)
        return new CallFailure('rejected', failure.message, {
          status: failure.status,
          mayPass: true,
          retryAfterMs: 0,
          cause: failure,
        })
      },
    }
  }
}
