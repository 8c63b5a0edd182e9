import type { SwaggerTransform, SwaggerTransformObject } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { Type } from '../../core/type.ts'
import { problems } from '../../contract/problem.ts'
import { needOf, type Need } from '../route-access.ts'

type Responses = Record<string, object>

/** The part of a route's schema that is read here. */
interface RouteSchema extends Pick<FastifySchema, 'security'> {
  description?: string
  body?: object
  headers?: { properties?: Record<string, unknown> }
  params?: { properties?: Record<string, unknown> }
  response?: Responses
  consumes?: string[]
  produces?: string[]
}

const LOCATION = {
  location: Type.String({ description: 'Where the job is: `/jobs/{id}`, below the path of PUBLIC_URL' }),
}
const REPLAYED = {
  'idempotency-replayed': Type.Literal('true', {
    description: 'The job is that of an earlier request with the same `Idempotency-Key`',
  }),
}
const RETRY_AFTER = { 'retry-after': Type.Integer({ description: 'Seconds until it is worth to look again' }) }

const TRACE_AS_TEXT = {
  schema: Type.String({ description: 'The stack trace as it is; the other fields are query parameters' }),
  example: 'Traceback (most recent call last): …',
}
const FILE = { schema: { type: 'string', format: 'binary', description: 'The bytes of the file as they are' } }
const STREAM = {
  schema: Type.String({
    description: 'Server-sent events, with `Accept: text/event-stream`; the data of each is JSON',
  }),
}

/** What any request to the route can meet, whatever its handler does. */
function refusals(
  { security }: RouteSchema,
  { changesState, withKeys }: { changesState: boolean; withKeys: boolean },
): number[] {
  return [
    ...(security?.length === 0 ? [] : [401]),
    ...(changesState || !withKeys ? [403] : []),
    ...(changesState ? [400, 413, 415] : []),
    429,
    503,
  ]
}

/** What a key has to be for each need; nothing where none is needed. */
const KEY_NOTES: Readonly<Record<Need, string>> = {
  open: '',
  read: 'Needs a key that may read.',
  write: 'Needs a key that may write.',
  clone: 'Needs a key that may write; one that is bound to projects has to name one of them.',
  pipeline: 'Needs a key that may write; for a dry run, one that may read.',
  whole: 'Needs a key that may read and sees all projects.',
  resolve: 'Needs a key that may read where no model is called and no job is made, else one that may write.',
}

/** What a route needs of a key, as a sentence. */
function keyNote(method: string, url: string): string {
  const need = needOf(method, url)
  return need === null ? 'Needs a key that may do everything.' : KEY_NOTES[need]
}

/** What stands for `*` at the end of an address has a name in the document. */
const withRest = ({ properties = {} }: NonNullable<RouteSchema['params']> = {}): object => ({
  type: 'object',
  required: [...Object.keys(properties), 'path'],
  properties: { ...properties, path: { type: 'string', description: 'The rest of the address; may hold slashes' } },
})

function withContentTypes(body: object, consumes: string[] = []): object {
  if (!consumes.includes('text/plain')) return body
  return { content: { 'application/json': { schema: body }, 'text/plain': TRACE_AS_TEXT } }
}

/** A body that no schema checks: a file, which is read as it comes. */
const fileBody = (consumes: string[] = []): object => ({
  content: Object.fromEntries(consumes.map(type => [type, FILE])),
})

const alternatives = (schema: object): unknown[] =>
  'anyOf' in schema && Array.isArray(schema.anyOf) ? schema.anyOf : [schema]

/**
 * A route that makes a job and answers something else by default answers the job, too: when asked to respond later, and
 * to wait.
 */
function ok(whole: object, { job, streams }: { job: object | undefined; streams: boolean }): object {
  const isJob = job === undefined || JSON.stringify(whole) === JSON.stringify(job)
  return {
    description: isJob ? 'Done' : 'Done; with `Prefer: respond-async` and a wait that was long enough, the job',
    content: {
      'application/json': { schema: isJob ? whole : { anyOf: [...alternatives(whole), job] } },
      ...(streams ? { 'text/event-stream': STREAM } : {}),
    },
  }
}

function withAnswers(schema: RouteSchema, produces: string[] = []): Responses {
  const { 200: whole, 202: job, ...answers } = schema.response ?? {}
  const makesJob = job !== undefined && schema.headers?.properties?.['idempotency-key'] !== undefined
  if (whole !== undefined) {
    answers[200] = {
      ...ok(whole, { job: makesJob ? job : undefined, streams: produces.includes('text/event-stream') }),
      ...(makesJob ? { headers: { ...LOCATION, ...REPLAYED } } : {}),
    }
  }
  if (job !== undefined) {
    answers[202] = {
      description: 'The job',
      content: { 'application/json': { schema: job } },
      ...(makesJob ? { headers: { ...LOCATION, ...RETRY_AFTER, ...REPLAYED } } : {}),
    }
  }
  return answers
}

/**
 * Completes the document with what the server does on every route and a validating schema cannot say: the refusals of
 * plugins, headers, further content types. It changes the document alone; what requests are checked against stays one
 * schema a route.
 */
export function createTransform({ withKeys }: { withKeys: boolean }): SwaggerTransform {
  return ({ schema: given, url, route }) => {
    if (given === undefined || given.hide === true) return { schema: given, url }
    const { consumes, produces, ...schema } = given as RouteSchema
    const changesState = [route.method].flat().some(method => method !== 'GET' && method !== 'HEAD')
    return {
      url: url.replace(/\/\*$/, '/:path'),
      schema: {
        ...schema,
        description: [schema.description, keyNote([route.method].flat()[0] ?? 'GET', url)].filter(Boolean).join('\n\n'),
        ...(url.endsWith('/*') ? { params: withRest(schema.params) } : {}),
        ...(schema.body === undefined ? {} : { body: withContentTypes(schema.body, consumes) }),
        ...(route.config?.takesLongBody === true ? { body: fileBody(consumes) } : {}),
        response: { ...problems(...refusals(schema, { changesState, withKeys })), ...withAnswers(schema, produces) },
      },
    }
  }
}

/** The library calls every body required, also one that may be null. */
export const withOptionalBodies: SwaggerTransformObject = document => {
  const { openapiObject } = document as { openapiObject: { paths: Record<string, Record<string, Operation>> } }
  for (const { requestBody } of Object.values(openapiObject.paths).flatMap(path => Object.values(path))) {
    const type = requestBody?.content['application/json']?.schema.type
    if (requestBody !== undefined && Array.isArray(type) && type.includes('null')) requestBody.required = false
  }
  return openapiObject as never
}

interface Operation {
  requestBody?: { required: boolean; content: Record<string, { schema: { type?: unknown } }> }
}
