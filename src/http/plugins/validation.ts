import type { FastifyInstance, FastifyRequest, FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'
import type { TObject, TSchema } from 'typebox'
import type { Compile } from 'typebox/compile'
import type { Value } from 'typebox/value'
import { ValidationError, type ValidationIssue } from './problems.ts'

const MAX_NAMED = 20

/** TypeBox's error, of which only these parts matter here. */
interface SchemaIssue {
  keyword: string
  instancePath: string
  message: string
  params: object
}

function toIssues(errors: SchemaIssue[], part: string): ValidationIssue[] {
  const issues = errors.flatMap(({ keyword, instancePath, message, params }) => {
    const path = `${part}${instancePath}`
    const names = Object.values(params).find(value => Array.isArray(value)) as string[] | undefined
    if (keyword === 'boolean') return [] // said again, with the names, by additionalProperties
    if (keyword === 'additionalProperties') {
      return (names ?? []).map(name => ({ path: `${path}/${name}`, message: 'is not a known field' }))
    }
    if (keyword === 'required') return (names ?? []).map(name => ({ path: `${path}/${name}`, message: 'is required' }))
    if (keyword === 'enum' && names !== undefined) return [{ path, message: `must be one of ${names.join(', ')}` }]
    return [{ path, message }]
  })
  return issues.length > 0 ? issues : [{ path: part, message: 'is not valid' }]
}

const DECIMAL = /^-?\d{1,15}(?:\.\d{1,15})?$/
const WHOLE = /^-?\d{1,15}$/

/** What TypeBox does here. */
interface TypeBox {
  Compile: typeof Compile
  Value: typeof Value
}

/** With the first request that is checked: loading it would take as long as the rest of a start. */
async function loadTypeBox(): Promise<TypeBox> {
  const [{ Compile }, { Value }] = await Promise.all([import('typebox/compile'), import('typebox/value')])
  return { Compile, Value }
}

/** Values of text in the types of the schema; what is no number in plain digits stays text, which no check takes. */
function converted({ Value }: TypeBox, schema: TSchema, given: unknown): unknown {
  const { properties = {} } = schema as { properties?: Record<string, { type?: string }> }
  const texts = Object.entries(given as Record<string, unknown>).filter(([name, value]) => {
    const type = properties[name]?.type
    const digits = type === 'integer' ? WHOLE : DECIMAL
    return (type === 'integer' || type === 'number') && typeof value === 'string' && !digits.test(value)
  })
  return { ...(Value.Convert(schema, given) as object), ...Object.fromEntries(texts) }
}

/**
 * Bodies are checked as they are; query strings, parameters and headers, which are always text, are converted first.
 * Unknown fields and wrong types are refused, never dropped or repaired.
 */
function createCheck(typeBox: TypeBox, { schema, httpPart }: { schema: TSchema; httpPart?: string }) {
  const validator = typeBox.Compile(schema)
  const isBody = httpPart === 'body'
  return (given: unknown): { value: unknown } | { error: ValidationError } => {
    const isMissing = isBody && given === null // Fastify gives null for no body, too
    if (isMissing && !validator.Check(null)) {
      return { error: new ValidationError([{ path: 'body', message: 'is required' }]) }
    }
    const nothing = isBody ? null : {}
    const completed = typeBox.Value.Default(schema, given ?? nothing)
    const value = isBody ? completed : converted(typeBox, schema, completed)
    if (validator.Check(value)) return { value }
    return { error: new ValidationError(toIssues(validator.Errors(value) as SchemaIssue[], httpPart ?? 'request')) }
  }
}

/** The parts of requests that schemas are for. */
const PARTS = ['body', 'querystring', 'params', 'headers'] as const

/** Whether nothing was given where nothing has to be: the query of most requests, and of the first, after /health. */
function isOptional(schema: unknown, given: unknown): boolean {
  const { type, required = [], properties = {} } = schema as Partial<TObject>
  const isNothing = typeof given === 'object' && given !== null && Object.keys(given).length === 0
  const isFilled = Object.values(properties).some(property => 'default' in property)
  return type === 'object' && isNothing && required.length === 0 && !isFilled
}

/**
 * Loads TypeBox before the first request of which something is checked, and compiles each schema with the first request
 * that it is for: most routes are not used at once.
 */
function createLateCompiler() {
  let typeBox: TypeBox | undefined
  return {
    async load({ routeOptions: { schema = {} }, query }: FastifyRequest): Promise<void> {
      const asksMore = PARTS.some(part => part !== 'querystring' && schema[part] !== undefined)
      const asksQuery = schema.querystring !== undefined && !isOptional(schema.querystring, query)
      if (asksMore || asksQuery) typeBox ??= await loadTypeBox()
    },
    compile: (route => {
      let check: ReturnType<typeof createCheck> | undefined
      return (given: unknown) => {
        if (route.httpPart === 'querystring' && isOptional(route.schema, given)) return { value: given }
        if (typeBox === undefined) throw new Error('A request is checked before what checks it was loaded.')
        check ??= createCheck(typeBox, route)
        return check(given)
      }
    }) satisfies FastifySchemaCompiler<TSchema>,
  }
}

/** A route that takes no body refuses one rather than ignore what the client meant by it; `{}` says nothing. */
function refuseStrayBody(body: unknown): void {
  if (body === undefined || body === null) return
  if (typeof body !== 'object' || Array.isArray(body)) {
    throw new ValidationError([{ path: 'body', message: 'is not taken by this route' }])
  }
  const names = Object.keys(body).slice(0, MAX_NAMED)
  if (names.length > 0) {
    throw new ValidationError(names.map(name => ({ path: `body/${name}`, message: 'is not a known field' })))
  }
}

/** Like Fastify's own parser, but nothing at all is no body: many clients name a content type for any POST. */
function acceptEmptyJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body.length === 0) done(null, undefined)
    else parse(request, String(body), done)
  })
}

export default fp(
  async app => {
    acceptEmptyJson(app)
    const { load, compile } = createLateCompiler()
    app.setValidatorCompiler(compile)
    app.addHook('preValidation', async request => {
      await load(request)
      if (!request.is404 && request.routeOptions.schema?.body === undefined) refuseStrayBody(request.body)
    })
  },
  { name: 'validation' },
)
