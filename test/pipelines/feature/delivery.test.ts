import { t as file, test, type Test } from 'tap'
import { signWebhook } from '../../../src/core/webhook.ts'
import { startCallbackReceiver } from '../../fakes/callback-receiver.ts'
import type { Reply } from '../../fakes/model-server.ts'
import { FEATURE_FILES, planned, REQUEST, TOOL_PATH, written } from '../../helpers/feature-project.ts'
import {
  buildForgeProject,
  mergeOnForge,
  type ForgeProject,
  localBranches,
  remoteBranches,
  reply,
  settled,
} from '../../helpers/forge-project.ts'
import { eventually } from '../../helpers/processes.ts'
import { inJail } from '../../helpers/sandbox.ts'
import { fsck } from '../../helpers/task-project.ts'

file.setTimeout(600_000)

const KEY = Buffer.alloc(32, 7)
const SECRET = `whsec_${KEY.toString('base64')}`
const BODY = { request: REQUEST, project_name: 'shop', push: true, merge: true }

async function build(t: Test, chat: Reply[] = [planned(), ...written()], env: Record<string, string> = {}) {
  const project = await buildForgeProject(t, FEATURE_FILES, chat, { env: { WEBHOOK_SECRETS: `ci=${SECRET}`, ...env } })
  mergeOnForge(project)
  return project
}

async function run(project: ForgeProject, body: object = {}) {
  const made = await project.app.inject({ method: 'POST', url: '/features', body: { ...BODY, ...body } })
  return settled(project, made.json().id)
}

/** What the audit log has of features, oldest first; each entry names the job. */
async function operations(t: Test, { app }: ForgeProject, id: string): Promise<string[]> {
  const { data: entries } = (await app.inject('/audit?action=feature&limit=100')).json()
  t.ok(entries.every(({ target }: { target: string }) => target.endsWith(` (job ${id})`)))
  return entries.map(({ action }: { action: string }) => action.replace('feature.', '')).reverse()
}

/** Nothing of the feature is left, here or there. */
async function nothingLeft(t: Test, project: ForgeProject): Promise<void> {
  t.ok(await eventually(() => remoteBranches(project).join() === 'main' && localBranches(project).length === 0))
  t.same([remoteBranches(project), localBranches(project)], [['main'], []])
  t.ok(project.forge.state.requests.every(({ isOpen }) => !isOpen))
  t.equal(project.repository.git('rev-parse', 'main'), project.commit)
  t.equal(fsck(project.gitDir), '')
  t.equal(fsck(project.repository.dir), '')
}

test('an approval merges the request on the forge and has the receiver deploy', inJail, async t => {
  await using receiver = await startCallbackReceiver(500, res => res.writeHead(200).end('deployed 42'))
  const project = await build(t)
  const settings = { deploy_url: receiver.url }
  t.match((await project.app.inject({ method: 'PATCH', url: '/projects/shop', body: settings })).json(), settings)
  const waiting = await run(project)
  t.match(waiting.request, { kind: 'approve_delivery', deploys_by: 'url', merge: true, problem: null })
  const [request] = project.forge.state.requests
  t.match(request, { head: 'feat/add-characters-v1', base: 'main', isDraft: false })
  t.match(request?.body, /The plan[\s\S]*characters[\s\S]*typecheck/)
  const { result } = await reply(project, waiting.id, { decision: 'approve' })
  t.match(result, {
    outcome: 'deployed',
    merged: true,
    merge_commit: project.repository.git('rev-parse', 'main'),
    deployment: { by: 'url', ok: true, status: 200, output: 'deployed 42' },
  })
  t.match(project.repository.git('show', `main:${TOOL_PATH}`), /addCharacter/)
  t.equal(receiver.received.length, 2, 'a receiver that is ill is asked again')
  const [first, second] = receiver.received
  const webhookId = `deploy-${waiting.id}-${result.commit.slice(0, 12)}`
  t.equal(first?.headers['webhook-id'], webhookId)
  t.equal(second?.headers['webhook-id'], webhookId)
  const body = second?.body.toString() ?? ''
  const now = new Date(Number(second?.headers['webhook-timestamp']) * 1000)
  const signed = signWebhook({ id: webhookId, body, keys: [KEY], now })
  t.equal(second?.headers['webhook-signature'], signed['webhook-signature'])
  t.match(JSON.parse(body), {
    branch: 'feat/add-characters-v1',
    merge_commit: result.merge_commit,
  })
  t.same(project.forge.violations, [])
  const told = await operations(t, project, waiting.id)
  const written = ['code', 'code', 'migration', 'code', 'migration', 'check']
  t.same(told, ['create_branch', 'scaffold', ...written, 'commit', 'push', 'merge', 'deploy'])
})

test('a rejection closes the request and deletes the branch here and there', inJail, async t => {
  const project = await build(t)
  const { id } = await run(project)
  t.ok(remoteBranches(project).includes('feat/add-characters-v1'))
  const job = await reply(project, id, { decision: 'reject' })
  t.match(job.result, { outcome: 'aborted' })
  t.equal((await operations(t, project, id)).at(-1), 'abort')
  await nothingLeft(t, project)
})

test('a request is for the default branch, whichever branch the project follows', inJail, async t => {
  const project = await build(t)
  project.repository.git('branch', 'develop')
  const url = (await project.app.inject('/projects/shop')).json().repositories[0].url
  const body = { url, project_name: 'shop', branch: 'develop' }
  await project.app.inject({ method: 'POST', url: '/clone?wait=60', body })
  t.match((await project.app.inject('/projects/shop')).json().repositories, [{ branch: 'develop' }])
  const waiting = await run(project)
  t.match(waiting.request.compare_url, /main/)
  t.match(project.forge.state.requests, [{ base: 'main' }])
})

test('a cancel while it waits does the same, and what others pushed is kept', inJail, async t => {
  const project = await build(t)
  const { id } = await run(project)
  await project.app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })
  await nothingLeft(t, project)

  const other = await build(t)
  const waiting = await run(other)
  const tree = other.repository.git('rev-parse', 'feat/add-characters-v1^{tree}')
  const theirs = other.repository.git('commit-tree', tree, '-p', 'feat/add-characters-v1', '-m', 'Theirs')
  other.repository.git('update-ref', 'refs/heads/feat/add-characters-v1', theirs)
  const { result } = await reply(other, waiting.id, { decision: 'reject' })
  t.match(result, { outcome: 'aborted', notes: [/holds commits of others/] })
  t.equal(other.repository.git('rev-parse', 'feat/add-characters-v1'), theirs)
})

test('a remote that refuses is told to the person, and an approval tries again', inJail, async t => {
  const project = await build(t)
  project.repository.git('config', 'receive.denyNonFastForwards', 'true')
  project.repository.git('config', 'http.receivepack', 'false')
  const waiting = await run(project)
  t.match(waiting, { status: 'waiting', request: { kind: 'approve_delivery', problem: /./, pull_request_url: null } })
  t.match(waiting.request, { pushes: true, merged: false })
  project.repository.git('config', 'http.receivepack', 'true')
  const pushed = await reply(project, waiting.id, { decision: 'approve' })
  t.match(pushed, { status: 'waiting', request: { problem: null } })
  t.ok(remoteBranches(project).includes('feat/add-characters-v1'), 'once it is there somebody looks at it')
  const { result } = await reply(project, waiting.id, { decision: 'approve' })
  t.match(result, { outcome: 'delivered', merged: true })
})

test('a request that somebody merged with more than was approved is a problem, and stays merged', inJail, async t => {
  const project = await build(t)
  const { repository, forge } = project
  const waiting = await run(project)
  const branch = 'feat/add-characters-v1'
  const more = repository.git('commit-tree', `${branch}^{tree}`, '-p', branch, '-m', 'Theirs')
  repository.git('update-ref', `refs/heads/${branch}`, more)
  repository.git('update-ref', 'refs/heads/main', more)
  Object.assign(forge.state.requests[0] ?? {}, { isOpen: false, mergeCommit: more })
  const problem = new RegExp(`was merged with ${more.slice(0, 12)}, and .* was approved`)
  const tried = await reply(project, waiting.id, { decision: 'approve' })
  t.match(tried, { status: 'waiting', request: { problem }, result: { merged: false, deployment: null } })
  const { result } = await reply(project, waiting.id, { decision: 'reject' })
  t.match(result, { outcome: 'aborted', notes: [/is merged on its forge, and stays so/, /holds commits of others/] })
  t.equal(repository.git('rev-parse', 'main'), more)
})

test('a branch of the same name that somebody makes meanwhile is neither moved nor deleted', inJail, async t => {
  const { promise: heldUntil, resolve: release } = Promise.withResolvers<void>()
  t.teardown(release)
  const [first, ...others] = written()
  const project = await build(t, [planned(), { ...first, heldUntil }, ...others])
  const { repository, commit } = project
  const { id } = (await project.app.inject({ method: 'POST', url: '/features', body: BODY })).json()
  await project.model.waitForRequest(2)
  repository.git('branch', 'feat/add-characters-v1', commit)
  release()
  const waiting = await settled(project, id)
  t.match(waiting, { status: 'waiting', request: { pushes: true, problem: /holds .*, which is not ours/ } })
  t.match((await reply(project, id, { decision: 'reject' })).result, { notes: [/holds commits of others/] })
  t.equal(repository.git('rev-parse', 'feat/add-characters-v1'), commit)
})

test('without credentials the problem says which to set, and where the work is', inJail, async t => {
  const project = await buildForgeProject(t, FEATURE_FILES, [planned(), ...written()], { token: null })
  project.repository.git('config', 'http.receivepack', 'false')
  const { request, id } = await run(project, { merge: false })
  const missing = `GIT_TOKENS=http://127\\.0\\.0\\.1:${project.remote.port}=token`
  t.match(request.problem, new RegExp(`${missing}.* GET /jobs/\\{id\\}/patch has it`))
  t.match((await project.app.inject(`/jobs/${id}/patch`)).body, /add_character/)
  project.remote.behaviour.credentials = 'x-access-token:secret'
  t.match((await reply(project, id, { decision: 'approve' })).request.problem, new RegExp(`${missing}.* GET /jobs/`))
})

test('a project that is deleted right after a cancel leaves no branch and no request on the forge', inJail, async t => {
  const project = await build(t)
  const { id } = await run(project)
  await project.app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })
  t.equal((await project.app.inject({ method: 'DELETE', url: '/projects/shop' })).statusCode, 204)
  t.same(remoteBranches(project), ['main'])
  t.ok(project.forge.state.requests.every(({ isOpen }) => !isOpen))
})

test('a deployment that fails is told, and can be tried again or left', inJail, async t => {
  await using receiver = await startCallbackReceiver(res => res.writeHead(422).end('no such stage'))
  const project = await build(t)
  await project.app.inject({ method: 'PATCH', url: '/projects/shop', body: { deploy_url: receiver.url } })
  const { id } = await run(project)
  const failed = await reply(project, id, { decision: 'approve' })
  t.match(failed, { status: 'waiting', request: { problem: /422[\s\S]*no such stage/ } })
  t.match(failed.request, { pushes: false, merge: false, merged: true, reworks_left: 0 }, 'what is merged stays so')
  const { result } = await reply(project, id, { decision: 'reject' })
  t.match(
    result,
    { outcome: 'delivered', merged: true, deployment: { ok: false, status: 422 } },
    'a merge is not undone',
  )
})

test("the operator's command deploys, outside of the sandbox and without the server's settings", inJail, async t => {
  const script = 'echo "$FAULTLINE_PROJECT $FAULTLINE_BRANCH [$WEBHOOK_SECRETS]"; exit 0'
  const commands = JSON.stringify({ Shop: ['/bin/sh', '-c', script] })
  const project = await build(t, undefined, { DEPLOY_COMMANDS: commands })
  const waiting = await run(project, { push: false, merge: false })
  t.match(waiting.request, { deploys_by: 'command' })
  const { result } = await reply(project, waiting.id, { decision: 'approve' })
  t.match(result.deployment, { by: 'command', ok: true, status: 0, output: 'shop feat/add-characters-v1 []\n' })
  t.equal(result.outcome, 'deployed')
})

test('two features at once: the second gets another name, and is told of the conflict', inJail, async t => {
  const project = await build(t, [planned(), ...written(), planned(), ...written()])
  const first = await run(project)
  const second = await run(project)
  t.match(first.request, { branch: 'feat/add-characters-v1', conflicts: [] })
  t.equal(second.request.branch, 'feat/add-characters-v2')
  t.same(second.request.conflicts, [], 'equal files are no conflict')
})
