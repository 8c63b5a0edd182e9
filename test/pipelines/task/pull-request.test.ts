import { test } from 'tap'
import { buildForgeProject } from '../../helpers/forge-project.ts'
import { inJail } from '../../helpers/sandbox.ts'
import { DESCRIPTION, mend, NODE_FILES, reviewed, THINKING } from '../../helpers/task-project.ts'

const BODY = { description: DESCRIPTION, project_name: 'shop', push: true }

test('a task that is pushed opens a draft with what was run', inJail, async t => {
  const project = await buildForgeProject(t, NODE_FILES, [mend(), reviewed('approve')])
  const url = '/tasks?wait=60'
  const { status, result, error } = (await project.app.inject({ method: 'POST', url, body: BODY })).json()
  t.match({ status, error }, { status: 'succeeded', error: null })
  const [request, ...more] = project.forge.state.requests
  t.same(more, [])
  t.match(request, { head: 'ai/task-1-attempt-1', base: 'main', isDraft: true })
  t.match(request?.body, /checks passed[\s\S]*npm test/)
  t.match(request?.body, THINKING)
  t.match(result, { pull_request_url: /\/1$/, merged: false, branch: 'ai/task-1-attempt-1' })
  t.equal(project.repository.git('rev-parse', 'ai/task-1-attempt-1'), result.commit)
  t.same(project.forge.violations, [])
})

test('"draft": false opens one that is ready to be reviewed', inJail, async t => {
  const ready = await buildForgeProject(t, NODE_FILES, [mend(), reviewed('approve')])
  const url = '/tasks?wait=60'
  await ready.app.inject({ method: 'POST', url, body: { ...BODY, draft: false } })
  t.match(ready.forge.state.requests, [{ isDraft: false }])
})
