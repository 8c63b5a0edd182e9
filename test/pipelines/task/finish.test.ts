import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { t as file, test, type Test } from 'tap'
import { startGitHttpServer } from '../../helpers/git-http-server.ts'
import { buildProject, type ProjectWithModel } from '../../helpers/project-with-model.ts'
import { eventually } from '../../helpers/processes.ts'
import { coded, DESCRIPTION, reviewed } from '../../helpers/task-project.ts'

file.setTimeout(120_000)

const FILES = { 'notes.md': 'one\n' }
const CHANGE = coded([{ path: 'notes.md', action: 'update', content: 'one\ntwo\n' }])
const BODY = { description: DESCRIPTION, project_name: 'shop', push: true }

async function run({ app }: ProjectWithModel, body: object) {
  const { id } = (await app.inject({ method: 'POST', url: '/tasks', body })).json()
  return (await app.inject(`/jobs/${id}?wait=60`)).json()
}

/** The project over HTTP, as hooks of a repository on this machine are not run. */
async function build(t: Test, chat: Parameters<typeof buildProject>[2]) {
  const serve = async (folder: string): Promise<string> => {
    const server = await startGitHttpServer(folder)
    t.teardown(() => server.close())
    return server.url
  }
  const project = await buildProject(t, FILES, chat, { serve, env: { ALLOW_PRIVATE_HOSTS: 'true' } })
  project.repository.git('config', 'http.receivepack', 'true')
  return project
}

/** A remote that takes no push to the branches that the pattern of a shell names. */
function protect({ repository }: ProjectWithModel, pattern: string): void {
  const hooks = repository.git('rev-parse', '--absolute-git-dir') + '/hooks'
  mkdirSync(hooks, { recursive: true })
  const hook = join(hooks, 'update')
  writeFileSync(hook, `#!/bin/sh\ncase "$1" in ${pattern}) echo "protected branch" >&2; exit 1;; esac\n`)
  chmodSync(hook, 0o755)
}

test('what passed and the remote does not take is still with the job, and the project is tidied', async t => {
  for (const [pattern, body] of [
    ['refs/heads/main', { ...BODY, auto_merge: true }],
    ['refs/heads/ai/*', BODY],
  ] as const) {
    const project = await build(t, [CHANGE, reviewed('approve')])
    protect(project, pattern)
    const job = await run(project, body)
    t.match(job, {
      status: 'failed',
      error: { code: 'PUSH_REJECTED', message: /protected branch/, fix: /\/patch/ },
      result: { branch: null, merged: false, attempts: [{ diff: /\+two/, review: { decision: 'approve' } }] },
    })
    t.match((await project.app.inject(`/jobs/${job.id}/patch`)).body, /\+two/)
    t.match((await project.app.inject('/tasks/1')).json(), { status: 'failed', error_message: /protected branch/ })
    await eventually(() => project.git('for-each-ref', 'refs/heads') === '')
    t.equal(project.repository.git('rev-parse', 'main'), project.commit)
    t.equal(project.repository.git('for-each-ref', '--format=%(refname)'), 'refs/heads/main')
  }
})

test('a branch of that name at the remote, with commits of others, stays as it is', async t => {
  const project = await build(t, [CHANGE, reviewed('approve')])
  const theirs = project.repository.commit({ 'notes.md': 'theirs\n' })
  project.repository.git('branch', 'ai/task-1-attempt-1', theirs)
  project.repository.git('update-ref', 'refs/heads/main', project.commit)
  const job = await run(project, BODY)
  t.match(job, {
    status: 'failed',
    error: { code: 'PUSH_REJECTED', fix: /has another branch "ai\/task-1-attempt-1".*\/patch/ },
    result: { attempts: [{ diff: /\+two/ }] },
  })
  t.equal(project.repository.git('rev-parse', 'ai/task-1-attempt-1'), theirs)
})
