import { Type } from 'typebox'
import { test } from 'tap'
import { Nullable, ProjectName, WaitQuery } from '../../src/contract/primitives.ts'
import { fitsSchema } from '../helpers/fits-schema.ts'

test('a value that may be null has two types in the document', async t => {
  t.match(Nullable(Type.String()), { type: ['string', 'null'] })
})

test('names of projects and seconds to wait have their bounds', async t => {
  const names = ['flask', 'a.b-c_d', '.a', 'a b', '', 'a'.repeat(65)]
  t.same(
    names.map(name => fitsSchema(ProjectName, name)),
    [true, true, false, false, false, false],
  )
  t.same(
    [0, 60, 61, -1].map(wait => fitsSchema(WaitQuery, { wait })),
    [true, true, false, false],
  )
})
