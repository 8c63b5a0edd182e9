import { test } from 'tap'
import { problems, problemSchema } from '../../src/contract/problem.ts'
import { fitsSchema } from '../helpers/fits-schema.ts'

test('a route names the problems that it can answer with, with the headers that belong to them', async t => {
  const entries = problems(404, 429)
  t.same(Object.keys(entries), ['404', '429'])
  t.match(entries['404'], { content: { 'application/problem+json': { schema: { $ref: 'Problem#' } } } })
  t.match(entries['429'], { headers: { 'retry-after': {} } })
})

test('a problem has one of the codes', async t => {
  const schema = problemSchema(['NOT_FOUND'])
  const problem = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'd', instance: 'req_1' }
  t.ok(fitsSchema(schema, { ...problem, code: 'NOT_FOUND' }))
  t.notOk(fitsSchema(schema, { ...problem, code: 'OTHER' }))
})
