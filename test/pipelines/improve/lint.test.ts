import { test } from 'tap'
import { buildProject } from '../../helpers/project-with-model.ts'
import { inJail } from '../../helpers/sandbox.ts'

const FILES = {
  'a.py': 'x = 1   \ny = 2\n',
  'b/c.py': 'z = 3\t\n',
  'clean.py': 'w = 4\n',
  '.github/workflows/ci.yml': 'on: push   \n',
  'tools/lint.sh': {
    executable:
      '#!/bin/sh\nfind . -name "*.py" -exec sed -i "s/[[:blank:]]*$//" {} +\n' +
      'sed -i "s/ *$//" .github/workflows/ci.yml\necho cache > .lint-cache\necho "1 problem left"\nexit 1\n',
  },
}
const EDIT = '```diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = 10\n y = 2\n```\n'

test(
  "the project's linter runs over the files before: the model sees what it made of them, and the diff holds both",
  inJail,
  async t => {
    const { app, post, sent, applied, git, commit, logsOf } = await buildProject(t, FILES, [{ text: EDIT }])
    const patched = await app.inject({
      method: 'PATCH',
      url: '/projects/shop',
      body: { checks: { lint: './tools/lint.sh' } },
    })
    t.same(patched.json().checks, { lint: './tools/lint.sh' })
    const job = (
      await post('/improve', { prompt: 'Ten', project_name: 'shop', select: ['*.py'], lint: true, review: 'auto' })
    ).json()
    t.match(job, {
      status: 'succeeded',
      result: { files: [{ path: 'a.py' }, { path: 'b/c.py' }], deleted: [], complete: true },
    })
    t.match(sent(0)[1]?.content, /a\.py\n```\nx = 1\ny = 2\n```/)
    t.match(job.result.diff, /-x = 1 {3}\n(?: y = 2\n)?\+x = 10/)
    t.equal(git('diff', '--name-only', commit, job.result.branch), 'a.py\nb/c.py')
    t.match(await applied(job.id, 'b/c.py'), { apply: 'z = 3\n', am: 'z = 3\n' })
    const logs = await logsOf(job.id)
    t.ok(logs.includes('The linter changed a.py, b/c.py.'))
    t.ok(logs.some(text => /left out: \.github\/workflows\/ci\.yml is protected/.test(text)))
    const { data } = (await app.inject(`/jobs/${job.id}/transcript`)).json()
    t.match(
      data.filter(({ kind }: { kind: string }) => kind === 'command'),
      [
        {
          step: 'lint',
          argv: ['/bin/bash', '-c', './tools/lint.sh'],
          exit_code: 1,
          stdout: '1 problem left\n',
          sandboxed: true,
        },
      ],
    )
  },
)

test('what the linter changed stays when what the model made of it is rejected', inJail, async t => {
  const both = `${EDIT}\`\`\`diff\n--- a/b/c.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-z = 3\n\`\`\`\n`
  const { app, post, reply, sent, applied } = await buildProject(t, FILES, [
    { text: both },
    { text: EDIT.replace('x = 10', 'x = 11') },
  ])
  await app.inject({ method: 'PATCH', url: '/projects/shop', body: { checks: { lint: './tools/lint.sh' } } })
  const { id } = (await post('/improve', { prompt: 'Ten', project_name: 'shop', select: ['*.py'], lint: true })).json()
  const again = (await reply(id, { decision: 'reject', comment: 'Eleven.' })).json()
  t.match(again.request.diff, /-x = 1 {3}\n(?: y = 2\n)?\+x = 11/)
  t.match(sent(1)[1]?.content, /a\.py\n```\nx = 1\ny = 2\n```/, 'it is shown the file as the linter left it')
  t.match((await reply(id, { decision: 'approve' })).json().result, {
    files: [{ path: 'a.py' }, { path: 'b/c.py' }],
    deleted: [],
  })
  t.match(await applied(id, 'b/c.py'), { apply: 'z = 3\n', am: 'z = 3\n' })
})

test(
  'a linter that cannot be run ends the job before a model is asked; what a project is checked by is kept',
  inJail,
  async t => {
    const { app, post, model } = await buildProject(t, FILES, [])
    const patch = (checks: object) => app.inject({ method: 'PATCH', url: '/projects/shop', body: { checks } })
    await patch({ lint: 'no-such-linter --fix', test: 'true' })
    t.same((await app.inject('/projects/shop')).json().checks, { lint: 'no-such-linter --fix', test: 'true' })
    const ask = async () => (await post('/improve', { prompt: 'x', project_name: 'shop', lint: true })).json()
    t.match(await ask(), {
      status: 'failed',
      error: { code: 'LINT_FAILED', message: /no-such-linter: command not found/, step: 'lint' },
    })
    await patch({ install: 'echo broken >&2; exit 3', lint: 'true' })
    t.match(await ask(), {
      status: 'failed',
      error: { code: 'LINT_FAILED', message: /install command ended with exit code 3: broken/ },
    })
    t.equal(model.requests.length, 0)
    for (const body of [{ colour: 'x' }, { lint: '' }, { lint: ' ' }, { lint: 3 }]) {
      t.equal((await patch(body)).statusCode, 400, JSON.stringify(body))
    }
    t.same((await patch({})).json().checks, {})
    t.match(await ask(), { status: 400, code: 'VALIDATION_FAILED', detail: /has no linter/ })
  },
)
