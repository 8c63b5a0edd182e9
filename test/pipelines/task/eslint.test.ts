import { existsSync } from 'node:fs'
import { t as file, test } from 'tap'
import { npmRegistry } from '../../helpers/npm-registry.ts'
import { buildProject } from '../../helpers/project-with-model.ts'
import { inJail, needing } from '../../helpers/sandbox.ts'
import { DESCRIPTION, MENDED, mend, NODE_FILES, reviewed } from '../../helpers/task-project.ts'

file.setTimeout(240_000)

const withNpm = needing(inJail, existsSync('/usr/bin/npm'), 'npm is not installed in /usr')

test('a project of Node is installed once, and its own eslint and tests decide', withNpm, async t => {
  const registry = await npmRegistry(t, 'mean', { eslint: 'eslint' })
  const files = {
    ...NODE_FILES,
    'package.json': JSON.stringify({
      name: 'mean',
      version: '1.0.0',
      type: 'module',
      scripts: { lint: 'eslint .', test: 'node --test' },
      devDependencies: registry.versions,
    }),
    'package-lock.json': registry.lock,
    'eslint.config.js': "export default [{ rules: { 'no-unused-vars': 'error' } }]\n",
  }
  const unused = mend(`const unused = 1\n${MENDED}`)
  const project = await buildProject(t, files, [unused, reviewed('approve'), mend(), reviewed('approve')], {
    env: registry.env,
  })
  const { id } = (await project.post('/tasks', { description: DESCRIPTION, project_name: 'shop' })).json()
  const job = (await project.app.inject(`/jobs/${id}?wait=60`)).json()
  t.equal(job.status, 'succeeded', JSON.stringify(job.error))
  t.match(job.result.attempts, [
    {
      failure: { stage: 'testing' },
      tests: {
        passed: false,
        lint_output: /no-unused-vars/,
        checks: [
          { name: 'lint', status: 'failed' },
          { name: 'test', status: 'passed' },
        ],
      },
    },
    { failure: null, tests: { passed: true, checks: [{ status: 'passed', before: 0 }, { status: 'passed' }] } },
  ])
  const installs = (await project.app.inject('/jobs?type=environment')).json().data
  t.match(installs, [{ status: 'succeeded' }])
  t.equal(installs.length, 1)
})
