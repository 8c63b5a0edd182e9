import { createRequire } from 'node:module'
import type { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

type BuildSerializer = ReturnType<typeof SerializerSelector>

/** Loaded with the first answer that has a schema, for which Fastify does not wait. */
const require = createRequire(import.meta.url)
let buildSerializer: BuildSerializer | undefined

function loadBuilder(): BuildSerializer {
  const compiler = require('@fastify/fast-json-stringify-compiler') as { SerializerSelector: typeof SerializerSelector }
  return compiler.SerializerSelector()
}

/**
 * Writes answers by their schemas, each of which is compiled when it is first needed: to compile those of all routes
 * takes a third of a second of every start.
 */
export const buildLateSerializer: BuildSerializer = (schemas, options) => route => {
  let write: ((answer: unknown) => string) | undefined
  return answer => {
    // a compiler of its own: it forgets the shared schemas that it has met
    buildSerializer ??= loadBuilder()
    write ??= buildSerializer(schemas, options)(route)
    return write(answer)
  }
}
