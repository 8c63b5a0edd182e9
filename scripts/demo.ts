// The main job from end to end, with nothing to configure: npm run demo
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { JobAnswer } from '../src/contract/job.ts'
import type { CloneAnswer } from '../src/contract/project.ts'
import type { ResolutionAnswer } from '../src/contract/resolution.ts'
import { cloneText } from '../src/text/job-text.ts'
import { createOutput } from '../src/cli/output.ts'
import { answerText, locatedText } from '../src/text/resolution-text.ts'
import { printable } from '../src/text/terminal-text.ts'
import { loadConfig, PACKAGE_ROOT, type Variables } from '../src/config.ts'
import { startServer, type RunningServer } from '../src/server.ts'
import { settingsIn } from './settings-in.ts'

const CRASHING = ['src/main.js', 'orders/1042.json']
const SUSPECTS_LIMIT_MS = 10_000
const POLL_MS = 50

const { paint } = createOutput(process, { json: false, quiet: false })
const say = (text = '') => {
  process.stdout.write(`${text}\n`)
}
const command = (text: string) => say(paint('cyan', `  $ ${text}`))
let step = 0
const heading = (text: string) => say(`\n${paint('bold', `${++step}. ${text}`)}`)

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-demo-')))
let server: RunningServer | null = null
/** What the server of the demo wants; null where it wants none. */
const demoKey: { key: string | null } = { key: null }
let isShowing = false

function makeRepository(path: string): void {
  cpSync(join(PACKAGE_ROOT, 'samples', 'shop'), path, { recursive: true })
  const env = { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }
  const git = (...args: string[]) => execFileSync('git', args, { cwd: path, env, stdio: 'pipe' })
  try {
    git('-c', 'init.defaultBranch=main', 'init', '--quiet')
    git('add', '.')
    git('-c', 'user.name=Demo', '-c', 'user.email=demo@example.com', 'commit', '--quiet', '-m', 'Open the shop')
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? new Error('git is not installed; on Debian and Ubuntu: apt-get install git')
      : error
  }
}

/**
 * Flags win over the environment and .env, so that a configured model is used but nothing of the user's data is
 * touched.
 */
function settings(): { flags: Variables; key: string | null } {
  mkdirSync(join(folder, 'data'))
  const flags = settingsIn(folder)
  if (loadConfig({ flags }).apiKeys.length === 0) return { flags, key: null }
  const key = randomBytes(18).toString('hex') // keys are configured, so the server will want one
  return { flags: { ...flags, API_KEYS: `demo:${key}` }, key }
}

function crash(cwd: string): string {
  const { status, stderr, error } = spawnSync(process.execPath, CRASHING, { cwd, encoding: 'utf8' })
  if (error !== undefined) throw error
  if (status === 0) throw new Error('the sample did not crash')
  return stderr
}

/** Posts the body, or asks without one. */
async function ask<T>(
  url: string,
  { key, type, body }: { key: string | null; type?: string; body?: string },
): Promise<T> {
  const headers = {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  }
  const response = await fetch(url, { method: body === undefined ? 'GET' : 'POST', headers, body })
  const answer = (await response.json()) as T & { detail?: string; fix?: string }
  if (!response.ok) {
    throw new Error(
      `${new URL(url).pathname} answered ${response.status}: ` +
        `${[answer.detail, answer.fix].filter(text => text !== undefined).join(' ')}`,
    )
  }
  return answer
}

/** The answer with the suspect commits, which may come after the rest on a busy machine. */
async function withSuspects(url: string, key: string | null, given: ResolutionAnswer): Promise<ResolutionAnswer> {
  let resolution = given
  const deadline = performance.now() + SUSPECTS_LIMIT_MS
  while (resolution.suspects_status === 'pending' && performance.now() < deadline) {
    await setTimeout(POLL_MS)
    const kept = await ask<ResolutionAnswer>(`${url}/resolutions/${given.id}`, { key })
    resolution = { ...given, suspect_commits: kept.suspect_commits, suspects_status: kept.suspects_status }
  }
  return resolution
}

/** The address of the page that shows the answer. */
async function demo(): Promise<string> {
  say(paint('bold', 'Faultline: from a repository and a stack trace to the code behind it.'))

  heading('A sample project, a small web shop, becomes a git repository.')
  const repository = join(folder, 'repos', 'shop')
  makeRepository(repository)
  say(`  ${repository}, made from samples/shop`)

  heading('The server starts, with everything embedded and its data in a temporary folder.')
  const { flags, key } = settings()
  demoKey.key = key
  server = await startServer(flags)
  const { url } = server
  say(`  ${url}`)

  heading('The repository is cloned and indexed.')
  const keyHeader = key === null ? '' : ` -H 'Authorization: Bearer ${key}'`
  const body = JSON.stringify({ url: repository, project_name: 'shop' })
  command(`curl -s '${url}/clone?wait=60'${keyHeader} -H 'Content-Type: application/json' -d '${body}'`)
  const job = await ask<JobAnswer>(`${url}/clone?wait=60`, { key, type: 'application/json', body })
  if (job.status !== 'succeeded') {
    throw new Error(`the clone job ${job.status}: ${job.error?.message ?? 'no reason was given'}`)
  }
  say(cloneText(job.result as CloneAnswer, paint).replace(/^/gm, '  '))

  await server.idle() // with its history the same crash gets the same answer each time

  heading('Somewhere else the shop runs in production. An order comes in, and it crashes.')
  const deployed = join(folder, 'deploy', 'shop')
  cpSync(join(PACKAGE_ROOT, 'samples', 'shop'), deployed, { recursive: true })
  command(`cd ${deployed} && node ${CRASHING.join(' ')}`)
  const trace = crash(deployed)
  say(paint('dim', printable(trace).trim().replace(/^/gm, '  ')))

  heading('What it printed goes to the server as it is.')
  command(
    `node ${CRASHING.join(' ')} 2>&1 |\n` +
      `      curl -s '${url}/resolve?project_name=shop'${keyHeader} --data-binary @- \\\n` +
      `        -H 'Content-Type: text/plain' -H 'Accept: text/plain'`,
  )
  const startedAt = performance.now()
  const answer = await ask<ResolutionAnswer>(`${url}/resolve?project_name=shop`, {
    key,
    type: 'text/plain',
    body: trace,
  })
  say(paint('dim', `  answered in ${Math.round(performance.now() - startedAt)} ms`))
  const resolution = await withSuspects(url, key, answer)
  const found = resolution.frames.filter(frame => frame.in_project)
  if (found.length === 0) throw new Error('no frame was found in the repository')
  say(`\n${locatedText(resolution, paint)}\n\n${answerText(resolution, paint)}`)
  return `${url}/ui/resolutions/${resolution.id}`
}

function sayWhereToGo(): void {
  say(`
${paint('bold', 'Where to go next')}
  npm start                                     the server on http://127.0.0.1:8000, try it at http://127.0.0.1:8000/docs
  npx faultline clone https://github.com/pallets/flask.git
  npm test 2>&1 | npx faultline resolve -       the repository you stand in, no server needed
  npx faultline doctor                          what works on this machine
  docs/first-steps.md                           from here to your own repository; docs/providers.md: a model`)
}

/** Says where the answer is a page; in a terminal the server stays for it until somebody ends it. */
async function showPage(page: string): Promise<void> {
  const { key } = demoKey
  const signIn = key === null ? '' : `, with the key ${key}`
  if (!process.stdout.isTTY) {
    say(`\nThe same on a page, while the demo runs in a terminal${signIn}: ${page}`)
    return
  }
  say(`\n${paint('bold', 'The same on a page')}${signIn}; Ctrl-C ends the demo:\n  ${page}`)
  isShowing = true
  await new Promise(() => {}) // until SIGINT
}

async function cleanUp(): Promise<void> {
  await server?.close()
  rmSync(folder, { recursive: true, force: true })
}

process.once('SIGINT', () => {
  cleanUp().finally(() => process.exit(isShowing ? 0 : 130))
})

try {
  const page = await demo()
  sayWhereToGo()
  await showPage(page)
} catch (error) {
  process.stderr.write(`\nThe demo failed in step ${step}: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  await cleanUp()
}
