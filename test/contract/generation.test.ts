import { test } from 'tap'
import { FixBody, GenerateBody, ImproveBody, SelfHealBody } from '../../src/contract/generation.ts'
import { CloneBodySchema } from '../../src/contract/project.ts'
import { examplesOf, fitsSchema } from '../helpers/fits-schema.ts'

test('bodies of pipelines have bounds, and every one may be a dry run', async t => {
  for (const schema of [GenerateBody, ImproveBody, SelfHealBody]) {
    t.ok(fitsSchema(schema, { prompt: 'a', dry_run: true, temperature: 2, budget: { tokens: 1 } }))
    t.notOk(fitsSchema(schema, { prompt: ' ' }))
    t.notOk(fitsSchema(schema, { prompt: 'a', temperature: 2.1 }))
    t.notOk(fitsSchema(schema, { prompt: 'a', budget: {} }))
  }
  t.ok(fitsSchema(FixBody, { stacktrace: 'x', project_name: 'shop', dry_run: true }))
  t.notOk(fitsSchema(GenerateBody, { prompt: 'a', max_questions: 11 }))
  t.notOk(fitsSchema(ImproveBody, { prompt: 'a', select: [] }))
  t.notOk(fitsSchema(SelfHealBody, { prompt: 'a', ready_when: {} }))
  t.notOk(fitsSchema(SelfHealBody, { prompt: 'a', success_exit_codes: [256] }))
})

test('the example of fix is about the project that the example of clone makes', async t => {
  const [clone] = examplesOf(CloneBodySchema) as Array<{ url: string }>
  for (const example of examplesOf(FixBody)) {
    t.match(example, { project_name: /\/(\w+)\.git$/.exec(clone?.url ?? '')?.[1] })
  }
})
