import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { t as file, test, type Test } from 'tap'
import { signWebhook } from '../../../src/core/webhook.ts'
import { startCallbackReceiver } from '../../fakes/callback-receiver.ts'
import type { Reply } from '../../fakes/model-server.ts'
import {
  DRIZZLE_PACKAGES,
  DRIZZLE_SCHEMA,
  DRIZZLE_TESTS,
  DRIZZLE_TOOL,
  drizzleFiles,
  drizzleReplies,
  NOTHING_MISSING,
  SCHEMA_PATH,
} from '../../helpers/drizzle-project.ts'
import { PLAN, planned, REQUEST, TEST_PATH, TOOL_PATH, wrote } from '../../helpers/feature-project.ts'
import {
  buildForgeProject,
  mergeOnForge,
  type ForgeProject,
  localBranches,
  remoteBranches,
  reply,
  settled,
} from '../../helpers/forge-project.ts'
import { npmRegistry } from '../../helpers/npm-registry.ts'
import { eventually } from '../../helpers/processes.ts'
import { inJail, needing, openFolder } from '../../helpers/sandbox.ts'
import { fsck } from '../../helpers/task-project.ts'

file.setTimeout(600_000)

const withNpm = needing(inJail, existsSync('/usr/bin/npm'), 'npm is not installed in /usr')
const KEY = Buffer.alloc(32, 7)
const BODY = { request: REQUEST, project_name: 'shop', push: true, merge: true }
const BRANCH = 'feat/add-characters-v1'

async function build(t: Test): Promise<ForgeProject> {
  const registry = await npmRegistry(t, 'stories', DRIZZLE_PACKAGES)
  const env = { ...registry.env, WEBHOOK_SECRETS: `ci=whsec_${KEY.toString('base64')}` }
  const project = await buildForgeProject(t, drizzleFiles(registry), [], { env })
  mergeOnForge(project)
  return project
}

async function run(project: ForgeProject, replies: Reply[], body: object = {}) {
  project.model.push(...replies)
  const made = await project.app.inject({ method: 'POST', url: '/features', body: { ...BODY, ...body } })
  return settled(project, made.json().id)
}

const filesOn = ({ repository }: ForgeProject, branch: string): string[] =>
  repository.git('ls-tree', '-r', '--name-only', branch).split('\n')
const migrationsOn = (project: ForgeProject, branch: string): string[] =>
  filesOn(project, branch).filter(path => path.startsWith('drizzle/') && path.endsWith('.sql'))

/** What the workspaces of the jobs hold: nothing but kept files once they have ended. */
function workspacesOf({ root }: ForgeProject): string[] {
  const folder = join(root, 'data', 'workspaces')
  const folders = existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : []
  return folders
    .filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
    .flatMap(({ name }) => readdirSync(join(folder, name)).filter(part => part !== 'files'))
}

/** What the model was sent with its last request. */
const lastSent = ({ model, sent }: ForgeProject, before = 0): string =>
  sent(model.requests.length - 1 - before)
    .map(({ content }) => content)
    .join('\n')

/** Nothing of a feature is left, here or there, and the default branch is as it was. */
async function nothingLeft(
  t: Test,
  project: ForgeProject,
  { main = project.commit, delivered = [] }: { main?: string; delivered?: string[] } = {},
): Promise<void> {
  const left = () => [remoteBranches(project), localBranches(project), workspacesOf(project)]
  const wanted = [[...delivered, 'main'], delivered, []]
  await eventually(() => JSON.stringify(left()) === JSON.stringify(wanted))
  t.same(left(), wanted)
  t.ok(project.forge.state.requests.every(({ isOpen }) => !isOpen))
  t.equal(project.repository.git('rev-parse', 'main'), main)
  t.same([fsck(project.gitDir), fsck(project.repository.dir)], ['', ''])
}

/** A line above what a skeleton begins with, as a unified diff. */
const commented = (path: string, firstLine: string): Reply => ({
  text: `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -1 +1,2 @@\n+// Looked at.\n ${firstLine}\n\`\`\`\n`,
})

/** A reply that says what of the files is gone on purpose. */
const written = ({ text = '' }: Reply, removed: string[]): Reply => ({
  text: `${text}\n${removed.map(one => `REMOVED ${one}\n`).join('')}`,
})

async function badPlan(t: Test, project: ForgeProject) {
  const nameless = planned({ ...PLAN, entities: [{ ...PLAN.entities[0], fields: [] }] })
  t.match(await run(project, [nameless, nameless]), {
    status: 'failed',
    error: { code: 'PLAN_INVALID', message: /has no fields/ },
  })
  await nothingLeft(t, project)
}

async function newPackage(t: Test, project: ForgeProject) {
  const installs = wrote({ 'package.json': '{"dependencies":{"left-pad":"1.3.0"}}\n' })
  const job = await run(project, [planned(), installs, installs])
  t.match(job, { status: 'failed', error: { code: 'OUT_OF_SCOPE', message: /a feature installs none/ } })
  t.match(lastSent(project), /package\.json says which packages the project has/)
  await nothingLeft(t, project)
}

async function badMigrations(t: Test, project: ForgeProject) {
  const unreadable = DRIZZLE_SCHEMA.replace("sqliteTable('characters'", "sqliteTabel('characters'")
  const inapplicable = DRIZZLE_SCHEMA.replace("integer('age')", "integer('age').default(sql`oops(`)")
  const replies = [
    wrote({ [SCHEMA_PATH]: unreadable }),
    wrote({ [TOOL_PATH]: DRIZZLE_TOOL }),
    wrote({ [SCHEMA_PATH]: `import { sql } from 'drizzle-orm'\n${inapplicable}` }),
    wrote({ [TEST_PATH]: DRIZZLE_TESTS }), // what the first attempt did not come to
  ]
  const job = await run(project, [planned(), ...replies], { max_retries: 1 })
  t.match(lastSent(project, 1), /could not be generated:[\s\S]*sqliteTabel is not defined/)
  t.match(job, {
    status: 'failed',
    error: { code: 'FEATURE_FAILED', message: /could not be applied:[\s\S]*DEFAULT oops\(/ },
    result: { outcome: 'aborted', attempts: [{ checks: [] }, { checks: [{ check: 'migrate', passed: false }] }] },
  })
  await nothingLeft(t, project)
}

async function stuck(t: Test, project: ForgeProject) {
  const mistyped = DRIZZLE_TOOL.replace('return stored', 'return stored.id')
  const [schema = NOTHING_MISSING, , tests = NOTHING_MISSING] = drizzleReplies()
  const replies = [schema, wrote({ [TOOL_PATH]: mistyped }), tests, wrote({ [TOOL_PATH]: `${mistyped}// Mended.\n` })]
  t.match(await run(project, [planned(), ...replies]), {
    status: 'failed',
    error: { code: 'FEATURE_FAILED', message: /stuck[\s\S]*TS2322/ },
    result: { outcome: 'aborted', attempts: [{ number: 1 }, { number: 2 }] },
  })
  await nothingLeft(t, project)
}

async function healedThenAborted(t: Test, project: ForgeProject) {
  const forgetful = DRIZZLE_TOOL.replace('{ ...input, name }', '{ name, role: input.role }')
  const job = await run(project, [
    planned(),
    NOTHING_MISSING,
    commented(TOOL_PATH, "import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'"),
    commented(TEST_PATH, "import assert from 'node:assert/strict'"),
    written(wrote({ [TOOL_PATH]: forgetful, [TEST_PATH]: DRIZZLE_TESTS }), [
      `${TEST_PATH}: test('add_character does what it says')`,
      `${TEST_PATH}: assert.fail('the test of add_character is not written yet')`,
    ]),
    wrote({ [TOOL_PATH]: DRIZZLE_TOOL }),
  ])
  t.match(job, { status: 'waiting', request: { branch: BRANCH, problem: null } }, JSON.stringify(job.error))
  const { attempts } = job.result
  t.match(
    attempts[0],
    {
      error: /the test of add_character is not written yet/,
      checks: [
        { check: 'migrate', passed: true },
        { check: 'typecheck', passed: true },
        { check: 'lint' },
        { check: 'test', passed: false },
      ],
    },
    'the skeletons are compiled, and their tests are run and are red',
  )
  t.match(attempts[1], { error: /a character is stored as it was given/ })
  t.match(attempts[2], { error: null, checks: [{ passed: true }, { passed: true }, {}, { passed: true }] })
  t.match(lastSent(project), /Previous attempt failed with error:[\s\S]*age: null/)
  t.equal(migrationsOn(project, BRANCH).length, 1, 'the migrations of the attempts before were taken back')
  const journal = JSON.parse(project.repository.git('show', `${BRANCH}:drizzle/meta/_journal.json`))
  t.equal(journal.entries.length, 1)
  t.match(project.forge.state.requests.at(-1), { head: BRANCH, isOpen: true })
  await project.app.inject({ method: 'POST', url: `/jobs/${job.id}/cancel` })
  await nothingLeft(t, project)
}

/** A person's checkout of the default branch. */
function checkout(t: Test, { repository }: ForgeProject) {
  const folder = openFolder(t)
  execFileSync('git', ['clone', '-q', '--', repository.dir, join(folder, 'stories')])
  const git = (...args: string[]) => execFileSync('git', args, { cwd: join(folder, 'stories') }).toString()
  const read = (path: string) => readFileSync(join(folder, 'stories', path), 'utf8')
  return {
    read,
    subjects: git('log', '--format=%s').trim().split('\n'),
    body: git('log', '--format=%B', '--no-merges'),
  }
}

async function wholeWay(t: Test, project: ForgeProject) {
  await using receiver = await startCallbackReceiver(res => res.writeHead(200).end('deployed 42'))
  await project.app.inject({ method: 'PATCH', url: '/projects/shop', body: { deploy_url: receiver.url } })
  const waiting = await run(project, [planned(), ...drizzleReplies()])
  t.match(
    waiting,
    {
      status: 'waiting',
      progress: { step: 'awaiting_approval' },
      request: { kind: 'approve_delivery', branch: BRANCH, problem: null, deploys_by: 'url', merge: true },
    },
    JSON.stringify(waiting.error),
  )
  t.match(waiting.request.checks, [
    { check: 'migrate', passed: true, exit_code: 0, output: /migrations applied successfully/ },
    { check: 'typecheck', passed: true, exit_code: 0 },
    { check: 'lint', passed: null },
    { check: 'test', passed: true, exit_code: 0, output: /a character is stored as it was given/ },
  ])
  const [migration = ''] = migrationsOn(project, BRANCH)
  t.match(project.repository.git('show', `${BRANCH}:${migration}`), /CREATE TABLE `characters`/)
  t.match(project.forge.state.requests.at(-1), { head: BRANCH, base: 'main', isOpen: true })
  t.equal(project.repository.git('rev-parse', 'main'), project.commit)

  const { status, result } = await reply(project, waiting.id, { decision: 'approve' })
  const main = project.repository.git('rev-parse', 'main')
  t.equal(status, 'succeeded')
  t.match(result, {
    outcome: 'deployed',
    merged: true,
    merge_commit: main,
    attempts: [{ number: 1, error: null }],
    deployment: { by: 'url', ok: true, status: 200, output: 'deployed 42' },
  })
  const post = await receiver.waitFor(1)
  const now = new Date(Number(post.headers['webhook-timestamp']) * 1000)
  const id = `deploy-${waiting.id}-${result.commit.slice(0, 12)}`
  const signed = signWebhook({ id, body: post.body.toString(), keys: [KEY], now })
  t.equal(post.headers['webhook-signature'], signed['webhook-signature'])
  t.match(JSON.parse(post.body.toString()), { branch: BRANCH, commit: result.commit, merge_commit: main })

  const { read, subjects, body } = checkout(t, project)
  t.equal(read(SCHEMA_PATH), DRIZZLE_SCHEMA)
  t.equal(read(TOOL_PATH), DRIZZLE_TOOL)
  t.equal(read(TEST_PATH), DRIZZLE_TESTS)
  t.same(subjects, [
    `Merge ${BRANCH}: Store characters with a name, a role and…`,
    'feat: store characters with a name, a role and an age',
    'First commit',
  ])
  t.match(body, new RegExp(`Faultline-Job: ${waiting.id}`))
  const database = new DatabaseSync(':memory:')
  database.exec(read(migration))
  database.exec("INSERT INTO characters (name, age, created_at) VALUES ('Ann', 30, 0)")
  t.match(database.prepare('SELECT name, role, age FROM characters').get(), { name: 'Ann', role: null, age: 30 })
  database.close()
  t.same(
    filesOn(project, 'main').filter(path => /\.faultline\/|node_modules|\.db$/.test(path)),
    [],
    'no scratch database and nothing that was installed',
  )
  t.same(project.forge.violations, [])
}

async function nextMigration(t: Test, project: ForgeProject) {
  const main = project.repository.git('rev-parse', 'main')
  const hooks = join(project.repository.dir, 'hooks')
  mkdirSync(hooks, { recursive: true })
  writeFileSync(join(hooks, 'pre-receive'), '#!/bin/sh\necho no pushes on Fridays >&2\nexit 1\n', { mode: 0o755 })
  const entity = { name: 'Place', tableName: 'places', fields: [{ name: 'name', type: 'text' }] }
  const plan = { ...PLAN, understood: 'Store places.', entities: [entity], tools: [], branchName: 'feat/places' }
  const path = 'src/dynamic/schema/places.ts'
  const first = "import { integer, sqliteTable, text } from 'drizzle-orm/sqlite-core'"
  const job = await run(project, [
    planned(plan),
    {
      text: `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -1 +1,2 @@\n ${first}\n+export const count: number = ''\n\`\`\`\n`,
    },
    {
      text: `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -1,2 +1 @@\n ${first}\n-export const count: number = ''\n\`\`\`\n`,
    },
  ])
  t.match(job, {
    status: 'waiting',
    result: { attempts: [{ error: /TS2322/ }, { error: null }], pushed: false },
    request: { branch: 'feat/places', problem: /./, pull_request_url: null },
  })
  t.same(remoteBranches(project), [BRANCH, 'main'])

  rmSync(join(hooks, 'pre-receive'))
  const pushed = await reply(project, job.id, { decision: 'approve' })
  t.match(pushed, { status: 'waiting', request: { problem: null }, result: { pushed: true } })
  const before = migrationsOn(project, 'main')
  const own = () => migrationsOn(project, 'feat/places').filter(one => !before.includes(one))
  t.match(own(), [/^drizzle\/0001_/])

  const named = "  name: text('name').notNull(),"
  const country = "  country: text('country'),"
  project.model.push({
    text: `\`\`\`diff\n--- a/${path}\n+++ b/${path}\n@@ -5 +5,2 @@\n ${named}\n+${country}\n\`\`\`\n`,
  })
  const again = await reply(project, job.id, { decision: 'reject', comment: 'With the country' })
  t.match(again, { status: 'waiting', request: { problem: null } }, JSON.stringify(again.error))
  t.equal(own().length, 1, 'the migration of the first commit is taken back in the second')
  t.match(project.repository.git('show', `feat/places:${own()[0] ?? ''}`), /^CREATE TABLE `places`[^]*`country` text/)
  const journal = JSON.parse(project.repository.git('show', 'feat/places:drizzle/meta/_journal.json'))
  t.match(
    journal.entries.map(({ tag }: { tag: string }) => `drizzle/${tag}.sql`),
    [...before, ...own()],
  )
  t.equal(project.repository.git('rev-list', '--count', 'main..feat/places'), '2')
  t.match((await reply(project, job.id, { decision: 'reject' })).result, { outcome: 'aborted' })
  await nothingLeft(t, project, { main, delivered: [BRANCH] })
}

test('features of a project with TypeScript, Drizzle and SQLite, which is installed once', withNpm, async t => {
  const project = await build(t)
  await t.test('a bad plan leaves nothing', st => badPlan(st, project))
  await t.test('a coder who insists on a package leaves nothing', st => newPackage(st, project))
  await t.test('migrations that cannot be made or applied are told, and leave nothing', st =>
    badMigrations(st, project),
  )
  await t.test('the same type error twice is stuck, and leaves nothing', st => stuck(st, project))
  await t.test('red tests heal on the second retry, and an abort then leaves nothing', st =>
    healedThenAborted(st, project),
  )
  await t.test('a request becomes a deployed feature', st => wholeWay(st, project))
  await t.test('the next migration follows the first; a remote that refuses is told', st => nextMigration(st, project))
  const installs = (await project.app.inject('/jobs?type=environment')).json().data
  t.match(installs, [{ status: 'succeeded', result: { install: 'npm ci' } }])
  t.equal(installs.length, 1)
})
