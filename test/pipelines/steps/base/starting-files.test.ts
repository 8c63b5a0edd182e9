import { test } from 'tap'
import { startingFiles } from '../../../../src/pipelines/steps/base/starting-files.ts'
import { requestParts } from '../../../helpers/request-parts.ts'

const deps = { ...requestParts(), sandbox: { fill: async () => {} } }

test('a job begins with the files that were sent, which it keeps', async t => {
  const kept: unknown[] = []
  const job = {
    step: async (_name: string, run: () => unknown) => run(),
    files: { put: async (f: unknown) => kept.push(f) },
  }
  const { base, project } = await startingFiles(job as never, deps, { files: { 'a.py': '1' } })
  t.equal(project, null)
  t.same(await base.paths(), ['a.py'])
  t.same(kept, [new Map([['a.py', '1']])])
})

test('or with those of a project, at its commit', async t => {
  const job = { step: async (_name: string, run: () => unknown) => run() }
  const { base, project } = await startingFiles(job as never, deps, { project_name: 'shop' })
  t.same(await base.paths(), ['main.py', 'run.sh'])
  t.equal(project?.at.projectName, 'shop')
})
