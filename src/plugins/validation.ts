import type { FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Value } from 'typebox/value'
import { ValidationError, type ValidationIssue } from './problems.ts'

/** TypeBox's error, of which only these parts matter here. */
interface SchemaIssue { keyword: string, instancePath: string, message: string, params: object }

/**
 * Bodies are checked as they are; query strings, parameters and headers, which are always text, are converted first. Unknown fields and
 * wrong types are refused, never dropped or repaired.
 */
const validatorCompiler: FastifySchemaCompiler<TSchema> = ({ schema, httpPart }) => {
  const validator = Compile(schema)
  return (given: unknown) => {
    const completed = Value.Default(schema, given ?? (httpPart === 'body' ? null : {}))
    const value = httpPart === 'body' ? completed : Value.Convert(schema, completed)
    if (validator.Check(value)) return { value }
    return { error: new ValidationError(toIssues(validator.Errors(value) as SchemaIssue[], httpPart ?? 'request')) }
  }
}

function toIssues (errors: SchemaIssue[], part: string): ValidationIssue[] {
  const issues = errors.flatMap(({ keyword, instancePath, message, params }) => {
    const path = `${part}${instancePath}`
    const names = Object.values(params).find(value => Array.isArray(value)) as string[] | undefined
    if (keyword === 'boolean') return [] // said again, with the names, by additionalProperties
    if (keyword === 'additionalProperties') return (names ?? []).map(name => ({ path: `${path}/${name}`, message: 'is not a known field' }))
    if (keyword === 'required') return (names ?? []).map(name => ({ path: `${path}/${name}`, message: 'is required' }))
    if (keyword === 'enum' && names !== undefined) return [{ path, message: `must be one of ${names.join(', ')}` }]
    return [{ path, message }]
  })
  return issues.length > 0 ? issues : [{ path: part, message: 'is not valid' }]
}

export default fp(async (app) => {
  app.setValidatorCompiler(validatorCompiler)
}, { name: 'validation' })
