import { test } from 'tap'
import { buildProject } from '../../helpers/project-with-model.ts'
import { inJail } from '../../helpers/sandbox.ts'

const FILES = {
  'run.sh': { executable: 'set -e\n./bin/check\npython3 main.py\n' },
  'bin/check': { executable: '#!/bin/sh\ntest ! -e .git && test ! -L link\n' },
  'main.py': 'from report import average\n\nprint(average([]))\n',
  'report.py': 'def average(values):\n    """The mean."""\n    total = sum(values)\n    return total / len(values)\n',
  link: { symlink: '/etc/passwd' },
  '.npmrc': 'registry=https://example.com\n',
  '.env': 'TOKEN=hunter2\n',
}
const MEND =
  'An empty list.\n\n```diff\n--- a/report.py\n+++ b/report.py\n@@ -2,3 +2,5 @@\n     """The mean."""\n' +
  '     total = sum(values)\n+    if not values:\n+        return 0\n     return total / len(values)\n```\n' +
  '\n.npmrc\n```\nregistry=http://evil\n```\n'

test(
  'a program of a project is healed over a checkout of its commit; the change is committed to a branch and ' +
    'never pushed',
  inJail,
  async t => {
    const { post, sent, git, commit, applied, repository } = await buildProject(t, FILES, [{ text: MEND }])
    const job = (await post('/self-heal', { prompt: 'Prints the mean of nothing', project_name: 'shop' })).json()
    t.match(job, {
      status: 'succeeded',
      project_name: 'shop',
      result: {
        healed: true,
        base_commit: commit,
        branch: `faultline/${job.id}`,
        commit: /^[0-9a-f]{40}$/,
        files: [{ path: 'report.py' }],
        attempts: [{ exit_code: 1 }, { exit_code: 0, stdout: '0\n' }],
      },
    })
    t.match(sent(0)[2]?.content, />>> +4 \| {5}return total \/ len\(values\)/)
    t.notMatch(JSON.stringify(sent(0)), /hunter2|root:x/)
    t.equal(git('diff', '--name-only', commit, job.result.branch), 'report.py', 'a protected file is left as it is')
    t.match(await applied(job.id, 'report.py'), { apply: /return 0\n/, am: /return 0\n/ })
    t.equal(repository.git('for-each-ref', '--format=%(refname)'), 'refs/heads/main')
  },
)

test(
  'a program that works commits nothing; one without its script is refused before there is a job',
  inJail,
  async t => {
    const { post, git, app } = await buildProject(t, { 'run.sh': 'echo fine\n', 'sub/go.sh': 'exit 3\n' }, [])
    t.match((await post('/self-heal', { prompt: 'x', project_name: 'shop' })).json(), {
      status: 'succeeded',
      result: { healed: true, diff: '', branch: null, commit: null, attempts: [{ exit_code: 0 }] },
    })
    t.equal(git('for-each-ref', 'refs/heads'), '')
    t.match((await post('/self-heal', { prompt: 'x', project_name: 'shop', entrypoint: 'nope.sh' })).json(), {
      status: 422,
      code: 'ENTRYPOINT_NOT_FOUND',
    })
    t.match((await post('/self-heal', { prompt: 'x', project_name: 'shop', dry_run: true })).json(), {
      tokens: Number,
      messages: [{}, { content: /sub\/go\.sh/ }, {}],
    })
    t.equal((await app.inject('/jobs?type=self_heal')).json().data.length, 1)
  },
)
