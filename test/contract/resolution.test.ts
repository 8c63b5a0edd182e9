import { test } from 'tap'
import { ResolveBodySchema, toWireParsed } from '../../src/contract/resolution.ts'
import { examplesOf, fitsSchema } from '../helpers/fits-schema.ts'

test('the example of the document can be posted; languages and budgets have their bounds', async t => {
  const body = { project_name: 'shop', stacktrace: 'x' }
  for (const example of examplesOf(ResolveBodySchema)) t.ok(fitsSchema(ResolveBodySchema, example))
  t.ok(fitsSchema(ResolveBodySchema, { ...body, locale: 'pt-BR' }))
  t.notOk(fitsSchema(ResolveBodySchema, { ...body, locale: 'english please' }))
  t.notOk(fitsSchema(ResolveBodySchema, { ...body, max_context_tokens: 199 }))
  t.notOk(fitsSchema(ResolveBodySchema, { ...body, stacktrace: '' }))
})

test('what was parsed without a project says that no project was asked', async t => {
  const frame = {
    index: 0,
    exception: 0,
    raw: 'at a',
    file: 'a.py',
    line: 1,
    column: null,
    function: 'a',
    repeat: 1,
  }
  const parsed = toWireParsed({ exceptions: [], frames: [frame], framesTotal: 1 } as never)
  t.match(parsed, { frames_total: 1, frames: [{ path: null, match: 'none', why: 'no project was asked' }] })
})
