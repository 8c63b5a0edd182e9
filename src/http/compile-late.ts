import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'

const buildSerializer = SerializerSelector()

/**
 * Writes answers by their schemas, each of which is compiled when it is first needed: to compile those of all routes
 * takes a third of a second of every start.
 */
export const buildLateSerializer: typeof buildSerializer = (schemas, options) => route => {
  let write: ((answer: unknown) => string) | undefined
  return answer => {
    // a compiler of its own: it forgets the shared schemas that it has met
    write ??= buildSerializer(schemas, options)(route)
    return write(answer)
  }
}
