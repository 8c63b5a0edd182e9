import { execFileSync, spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_ROOT } from '../../src/config.ts'
import { startServer, type RunningServer } from '../../src/server.ts'
import { settingsIn } from '../settings-in.ts'
import { startModelServer, type ModelServer } from '../../test/fakes/model-server.ts'

/** A server with the sample shop, and a model whose words are written here. */
export interface ShopWorld {
  url: string
  /** A server that asks for a key. */
  lockedUrl: string
  /** What the shop prints when it crashes. */
  trace: string
  /** Posts JSON and gives the answer. */
  post<T>(path: string, body: object): Promise<T>
  close(): Promise<void>
}

const FAULTY = 'src/discounts.js'
const NOW = "const applies = coupon.category === 'any' || coupon.category === product.category"
const BEFORE = "const applies = coupon !== undefined && ['any', product.category].includes(coupon.category)"

const EXPLANATION = `## Cause

\`couponFor\` looks the code up in \`COUPONS\`. The order carries a code that marketing has never made, so the lookup
gives \`undefined\`, and \`discountOn\` reads \`category\` of it.

The check for an unknown code was there before *Trust the codes of the checkout* took it away.

## Fix

Let an unknown code take nothing off:

\`\`\`diff
--- a/src/discounts.js
+++ b/src/discounts.js
@@ -10,5 +10,6 @@
 export function discountOn (product, cents, code) {
   if (!code) return 0
   const coupon = couponFor(code)
+  if (coupon === undefined) return 0
   const applies = coupon.category === 'any' || coupon.category === product.category
   return applies ? Math.round(cents * coupon.percent / 100) : 0
\`\`\`
`

const git = (cwd: string, args: readonly string[], author = 'Ada Ferris', date = '2026-03-02T09:14:00Z'): string =>
  execFileSync('git', ['-c', `user.name=${author}`, '-c', 'user.email=shop@example.com', ...args], {
    cwd,
    env: {
      PATH: process.env.PATH,
      HOME: cwd,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
    },
    stdio: 'pipe',
    encoding: 'utf8',
  })

/** The shop, whose newest commit takes a check away. */
function makeRepository(path: string): void {
  cpSync(join(PACKAGE_ROOT, 'samples', 'shop'), path, { recursive: true })
  const faulty = join(path, FAULTY)
  const now = readFileSync(faulty, 'utf8')
  writeFileSync(faulty, now.replace(NOW, BEFORE))
  git(path, ['-c', 'init.defaultBranch=main', 'init', '--quiet'])
  git(path, ['add', '.'])
  git(path, ['commit', '--quiet', '-m', 'Open the shop'])
  writeFileSync(faulty, now)
  git(path, ['commit', '--quiet', '-am', 'Trust the codes of the checkout'], 'Ben Okafor', '2026-05-19T16:40:00Z')
}

const QUESTION = 'Which keys turn the snake: the arrows, or WASD?'
const REVIEWS = [
  {
    decision: 'reject',
    issues: [{ severity: 'critical', file: FAULTY, line: 13, message: 'It takes the whole price off.' }],
    summary: 'An unknown coupon makes everything free.',
  },
  { decision: 'approve', issues: [], summary: 'An unknown coupon takes nothing off.' },
]

/** What the coder writes: at first what the reviewer rejects. */
function codedIn(content: string, isFirst: boolean): object {
  const found = '  const coupon = couponFor(code)\n'
  const guard = `  if (coupon === undefined) return ${isFirst ? 'cents' : '0'}\n`
  return {
    thinking: 'The lookup gives undefined for a code that nobody made.',
    files: [{ path: FAULTY, action: 'update', content: content.replace(found, found + guard) }],
    commitMessage: 'Take nothing off for an unknown coupon',
  }
}

/** A model that answers by what it is asked for. */
function answerFor(model: ModelServer, faulty: string): void {
  let reviews = 0
  model.answerBy(request => {
    const said = JSON.stringify(request)
    if (said.includes('snake')) return { text: QUESTION }
    if (said.includes('commitMessage')) return { text: JSON.stringify(codedIn(faulty, reviews === 0)) }
    if (said.includes('nit')) return { text: JSON.stringify(REVIEWS[reviews++]) }
    return { text: EXPLANATION }
  })
}

/** Starts both with their data in `folder`. */
export async function startShopWorld(folder: string): Promise<ShopWorld> {
  const repository = join(folder, 'repos', 'shop')
  const other = join(folder, 'locked')
  for (const part of ['data', 'repos']) {
    for (const one of [folder, other]) mkdirSync(join(one, part), { recursive: true })
  }
  makeRepository(repository)
  const model = await startModelServer()
  answerFor(model, readFileSync(join(repository, FAULTY), 'utf8'))
  const server: RunningServer = await startServer({
    ...settingsIn(folder),
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'a-model',
  })
  const locked = await startServer({ ...settingsIn(other), API_KEYS: `ada:${randomUUID()}` })
  const post: ShopWorld['post'] = async (path, body) => {
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const answer = await response.json()
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${JSON.stringify(answer)}`)
    return answer as never
  }
  await post('/clone?wait=60', { url: repository, project_name: 'shop' })
  await server.idle()
  const deployed = join(folder, 'srv', 'shop')
  cpSync(join(PACKAGE_ROOT, 'samples', 'shop'), deployed, { recursive: true })
  const { stderr } = spawnSync(process.execPath, ['src/main.js', 'orders/1042.json'], { cwd: deployed })
  return {
    url: server.url,
    lockedUrl: locked.url,
    trace: stderr.toString().replaceAll(folder, ''),
    post,
    async close() {
      await server.close()
      await locked.close()
      await model.close()
    },
  }
}
