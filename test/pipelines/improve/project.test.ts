import { test } from 'tap'
import { cloneInto } from '../../helpers/build-app.ts'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { loseFolder } from '../../helpers/lose-folder.ts'
import { buildProject } from '../../helpers/project-with-model.ts'

const FILES = {
  'src/shop/prices.py': 'def average(items):\n    total = sum(items)\n    return total / len(items)\n',
  'src/shop/mail.py': 'def send(letter):\n    print(letter)\n',
  'bin/run': { executable: '#!/bin/sh\necho hi\n' },
  'latest.py': { symlink: 'src/shop/prices.py' },
  'package-lock.json': '{"lockfileVersion": 3}\n',
  '.github/workflows/ci.yml': 'on: push\n',
  '.env': 'TOKEN=hunter2\n',
  'logo.png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1]),
  'README.md': '# Shop\n',
}
const MEND =
  '```diff\n--- a/src/shop/prices.py\n+++ b/src/shop/prices.py\n@@ -1,3 +1,5 @@\n def average(items):\n' +
  '+    if not items:\n+        return 0\n     total = sum(items)\n     return total / len(items)\n```\n'
const SELECT = ['src/**/*.py']

test(
  'an approved change is committed to a branch of its own, with the prompt for a message; diff and patch ' +
    'apply to the base commit',
  async t => {
    const { post, reply, commit, git, applied, sent, app, repository } = await buildProject(t, FILES, [{ text: MEND }])
    const asked = (
      await post('/improve', {
        prompt: 'Give 0 for the mean of nothing\n\nNot an error.',
        project_name: 'shop',
        select: SELECT,
      })
    ).json()
    t.match(asked, {
      status: 'waiting',
      project_name: 'shop',
      request: { kind: 'review_changes', diff: /\+ {4}if not items:/ },
    })
    t.match(sent(0)[1]?.content, /src\/shop\/mail\.py\n```\n/)
    t.notMatch(sent(0)[1]?.content, /README|hunter2/)
    t.equal(git('for-each-ref', 'refs/heads'), '', 'nothing is committed before')
    const job = (await reply(asked.id, { decision: 'approve' })).json()
    const branch = `faultline/${job.id}`
    t.match(job, {
      status: 'succeeded',
      result: {
        base_commit: commit,
        branch,
        commit: /^[0-9a-f]{40}$/,
        complete: true,
        files: [{ path: 'src/shop/prices.py' }],
        deleted: [],
        decision: 'approve',
      },
    })
    t.equal(git('rev-parse', `refs/heads/${branch}`), job.result.commit)
    t.equal(git('log', '-1', '--format=%P|%an|%s', branch), `${commit}|Faultline|Give 0 for the mean of nothing`)
    t.equal(git('diff', '--name-only', commit, branch), 'src/shop/prices.py')
    t.match(await app.inject(`/jobs/${job.id}/patch`), {
      statusCode: 200,
      body: new RegExp(`^From ${job.result.commit} `),
    })
    const after = await applied(job.id, 'src/shop/prices.py')
    t.match(after, {
      apply: /return 0\n/,
      am: /return 0\n/,
      message: /^Give 0 for the mean of nothing\n\nGive 0 for the mean of nothing\n\nNot an error\.\n/,
    })
    t.equal(repository.git('for-each-ref', '--format=%(refname)'), 'refs/heads/main', 'nothing is pushed unasked')
  },
)

test('a rejected change commits nothing', async t => {
  const { post, reply, git } = await buildProject(t, FILES, [{ text: MEND }])
  const asked = (await post('/improve', { prompt: 'Mend', project_name: 'shop', select: SELECT })).json()
  t.match((await reply(asked.id, { decision: 'reject' })).json(), {
    status: 'succeeded',
    result: { files: [], deleted: [], branch: null, commit: null, decision: 'reject' },
  })
  t.equal(git('for-each-ref', 'refs/heads'), '')
})

test('files are made, deleted and keep their modes; nothing to change commits nothing', async t => {
  const text =
    '```diff\n--- a/src/shop/mail.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-def send(letter):\n' +
    '-    print(letter)\n--- /dev/null\n+++ b/docs/my notes/ünï.md\n@@ -0,0 +1 @@\n+New\n--- a/bin/run\n' +
    '+++ b/bin/run\n@@ -1,2 +1,2 @@\n #!/bin/sh\n-echo hi\n+echo bye\n```\n'
  const same = '```diff\n--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-# Shop\n+# Shop\n```\n'
  const { post, git, applied } = await buildProject(t, FILES, [{ text }, { text: same }])
  const job = (await post('/improve', { prompt: 'Tidy', project_name: 'shop', select: ['**'], review: 'auto' })).json()
  t.match(job, {
    status: 'succeeded',
    result: {
      files: [{ path: 'bin/run' }, { path: 'docs/my notes/ünï.md' }],
      deleted: ['src/shop/mail.py'],
      decision: null,
    },
  })
  t.match(git('ls-tree', '-r', job.result.branch), /100755 blob \w+\tbin\/run/)
  t.match(await applied(job.id, 'docs/my notes/ünï.md'), { apply: 'New\n', am: 'New\n' })
  const none = (
    await post('/improve', {
      prompt: 'Tidy',
      project_name: 'shop',
      select: ['README.md'],
      review: 'auto',
      max_refinements: 0,
    })
  ).json()
  t.match(none, { status: 'succeeded', result: { files: [], branch: null, commit: null, diff: '' } })
})

test(
  'protected files, links, files of secrets and binary files are refused unless allowed; the model is not ' +
    'asked again for them',
  async t => {
    const hunk = (path: string, before: string, after: string) =>
      `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-${before}\n+${after}\n`
    const all =
      `\`\`\`diff\n${hunk('.github/workflows/ci.yml', 'on: push', 'on: pull_request_target')}${hunk('package-lock.json', '{"lockfileVersion": 3}', '{}')}${hunk('README.md', '# Shop', '# Store')}\`\`\`\n\n` +
      ('latest.py\n```python\nprint(1)\n```\n\n.env\n```\nTOKEN=x\n```\n\nlogo.png\n```\nx\n```\n\n.npmrc\n```\n' +
        'registry=http://evil\n```\n\n.faultline.toml\n```\n[features]\nallowed_paths = ["src"]\n```\n')
    const { post, git, model } = await buildProject(t, FILES, [{ text: all }, { text: all }, { text: all }])
    const ask = (more: object) =>
      post('/improve', { prompt: 'Break in', project_name: 'shop', select: ['**'], review: 'auto', ...more })
    const strict = (await ask({})).json()
    t.match(strict, { status: 'failed', error: { code: 'EDITS_REJECTED', message: /allow_paths/ } })
    t.equal(git('for-each-ref', 'refs/heads'), '')
    const partial = (await ask({ allow_partial: true })).json()
    t.match(partial, {
      status: 'succeeded',
      result: { complete: false, files: [{ path: 'README.md' }], refinements: 0 },
    })
    t.same(
      partial.result.rejected_hunks.map(({ path, reason }: { path: string; reason: string }) => [path, reason]).sort(),
      [
        '.env',
        '.faultline.toml',
        '.github/workflows/ci.yml',
        '.npmrc',
        'latest.py',
        'logo.png',
        'package-lock.json',
      ].map(path => [path, 'bad_path']),
    )
    t.equal(git('diff', '--name-only', `${partial.result.branch}^`, partial.result.branch), 'README.md')
    const allowed = (await ask({ allow_partial: true, allow_paths: ['.github/**', '.npmrc'] })).json()
    t.same(
      allowed.result.files.map(({ path }: { path: string }) => path),
      ['.github/workflows/ci.yml', '.npmrc', 'README.md'],
    )
    t.equal(model.requests.length, 3)
  },
)

test(
  'push takes the branch to the remote; a remote that refuses fails the job, which says where the commit ' + 'is',
  async t => {
    let server: Awaited<ReturnType<typeof startGitHttpServer>> | undefined
    const { post, repository, git } = await buildProject(t, FILES, [{ text: MEND }, { text: MEND }], {
      env: { ALLOW_PRIVATE_HOSTS: 'true' },
      async serve(reposDir) {
        server = await startGitHttpServer(reposDir)
        t.teardown(() => server?.close())
        return server.url
      },
    })
    const ask = async () =>
      (
        await post('/improve', { prompt: 'Mend', project_name: 'shop', select: SELECT, review: 'auto', push: true })
      ).json()
    const refused = await ask()
    t.match(refused, { status: 'failed', error: { code: /^(?:PUSH_REJECTED|REPOSITORY_AUTH_FAILED)$/, step: 'push' } })
    t.ok(git('rev-parse', `refs/heads/faultline/${refused.id}`))
    repository.git('config', 'http.receivepack', 'true')
    const again = (await post(`/jobs/${refused.id}/retry`, { from_step: 'push' })).json()
    t.match(
      again,
      { status: 'succeeded', retry_of: refused.id, result: { branch: `faultline/${refused.id}` } },
      'the same commit, when the remote lets it',
    )
    t.equal(repository.git('rev-parse', `refs/heads/faultline/${refused.id}`), again.result.commit)
    const job = await ask()
    t.equal(job.status, 'succeeded', JSON.stringify(job.error))
    t.equal(repository.git('rev-parse', `refs/heads/${job.result.branch}`), job.result.commit)
    t.equal(repository.git('rev-parse', 'refs/heads/main'), job.result.base_commit)
  },
)

test('jobs of one project that commit disturb neither each other nor a clone that goes on', async t => {
  const built = await buildProject(
    t,
    FILES,
    Array.from({ length: 3 }, () => ({ text: MEND })),
  )
  const tip = built.repository.commit({ 'README.md': '# New\n' })
  const [cloned, ...jobs] = await Promise.all([
    cloneInto(t, built, { url: built.repository.dir, project_name: 'shop' }),
    ...Array.from({ length: 3 }, async () =>
      (await built.post('/improve', { prompt: 'Mend', project_name: 'shop', select: SELECT, review: 'auto' })).json(),
    ),
  ])
  t.equal(cloned.result.commit, tip)
  for (const job of jobs) {
    t.equal(job.status, 'succeeded', JSON.stringify(job.error))
    t.equal(built.git('rev-parse', `refs/heads/${job.result.branch}^`), job.result.base_commit)
  }
  t.equal(new Set(jobs.map(job => job.result.branch)).size, 3)
})

test(
  'what a job began with stays its base when the project goes on while it waits; a project cannot be ' +
    'deleted then, and a clone that is lost is said to be',
  async t => {
    const built = await buildProject(t, FILES, [
      { text: MEND },
      {
        text:
          '```diff\n--- a/src/shop/prices.py\n+++ b/src/shop/prices.py\n@@ -1 +1 @@\n-gone = True\n' +
          '+gone = False\n```\n',
      },
    ])
    const { post, reply, commit, app, repository, root } = built
    const ask = async () => (await post('/improve', { prompt: 'Mend', project_name: 'shop', select: SELECT })).json()
    const first = await ask()
    repository.commit({ 'src/shop/prices.py': 'gone = True\n' }, { orphan: true })
    await cloneInto(t, built, { url: repository.dir, project_name: 'shop' })
    t.match((await app.inject({ method: 'DELETE', url: '/projects/shop' })).json(), {
      status: 409,
      code: 'PROJECT_BUSY',
    })
    t.match((await reply(first.id, { decision: 'approve' })).json(), {
      status: 'succeeded',
      result: { base_commit: commit },
    })
    const second = await ask()
    t.match(second, { status: 'waiting', request: { diff: /^-gone = True$/m } })
    loseFolder(root, 'cloned_repos/shop')
    t.match((await reply(second.id, { decision: 'approve' })).json(), {
      status: 'failed',
      error: { code: 'NOT_FOUND', message: /is not cloned here/, step: 'commit' },
    })
    t.equal((await app.inject({ method: 'DELETE', url: '/projects/shop' })).statusCode, 204)
    t.match((await post('/improve', { prompt: 'x', project_name: 'shop' })).json(), {
      status: 404,
      code: 'PROJECT_NOT_FOUND',
    })
  },
)
