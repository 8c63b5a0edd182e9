import { test } from 'tap'
import { baseAt, projectBase } from '../../../../src/pipelines/steps/base/project-base.ts'
import { requestParts } from '../../../helpers/request-parts.ts'

const deps = requestParts()
const at = { repository: 'shop', commit: 'c' }

test('protected files may be changed when the request names them', async t => {
  const asked = { projectName: 'shop' }
  t.match(await baseAt(deps, asked, at).refusal('package-lock.json'), /protected in this project/)
  t.equal(await baseAt(deps, asked, at).refusal('main.py'), null)
  const allowing = baseAt(deps, { ...asked, allowPaths: ['package-lock.json'] }, at)
  t.equal(await allowing.refusal('package-lock.json'), null)
})

test('a job stays at the commit that was indexed when it began', async t => {
  const stored = { repository: 'shop', commit: 'before' }
  const step = (async () => stored) as never
  const project = await projectBase({ step }, deps, { projectName: 'shop' })
  t.same(project.at, { ...stored, projectName: 'shop' })
  t.equal(project.base.commit, 'before')
})
