import { test } from 'tap'
import { CloneBodySchema, ProjectPatch, SearchQuery } from '../../src/contract/project.ts'
import { examplesOf, fitsSchema } from '../helpers/fits-schema.ts'

test('the examples of the document can be sent', async t => {
  for (const schema of [CloneBodySchema, ProjectPatch]) {
    for (const example of examplesOf(schema)) t.ok(fitsSchema(schema, example))
  }
})

test('paths of a repository lead nowhere out of it, and names are those of folders', async t => {
  const mapping = (to: string) => fitsSchema(ProjectPatch, { path_mappings: [{ from: '/app/', to }] })
  t.same(['src/', '', 'a..b/', '/src', '../x', 'a/../x', 'a/..'].map(mapping), [
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ])
  t.notOk(fitsSchema(CloneBodySchema, { url: 'x', project_name: '.hidden' }))
  t.notOk(fitsSchema(ProjectPatch, {}))
})

test('a search has a query of at most 2000 characters', async t => {
  t.ok(fitsSchema(SearchQuery, { q: 'a', limit: 20 }))
  t.notOk(fitsSchema(SearchQuery, { q: '', limit: 20 }))
  t.notOk(fitsSchema(SearchQuery, { q: 'a'.repeat(2001), limit: 20 }))
})
