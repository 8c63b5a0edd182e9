import { test } from 'tap'
import { withoutDryRun } from '../../../../src/pipelines/steps/request/no-dry-run.ts'

test('a job keeps nothing of dry_run: false, and none is made of dry_run: true', async t => {
  const body: { a: number; dry_run?: boolean } = { a: 1 }
  const code = 'VALIDATION_FAILED'
  t.same(withoutDryRun(body), { a: 1 })
  t.same(withoutDryRun({ ...body, dry_run: false }), { a: 1 })
  t.throws(() => withoutDryRun({ ...body, dry_run: true }), { code, fix: 'Leave dry_run out.' })
  t.throws(() => withoutDryRun({ dry_run: true }, 'Ask at once.'), { code, fix: 'Ask at once.' })
})
