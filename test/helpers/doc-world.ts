import { execFile } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { startModelServer, type Reply } from '../fakes/model-server.ts'
import { buildApp, listen } from './build-app.ts'
import { CHILD_ENV } from './child-env.ts'
import { startGitHttpServer } from './git-http-server.ts'
import { createShop, SHOP_TRACE } from './sample-repository.ts'
import { openFolder } from './sandbox.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const COMMAND_TIMEOUT_MS = 120_000
/** In place of the exit code of a command that took too long. */
const KILLED = 137
/** The key that pages call `$KEY`. */
const DOC_KEY = 'a-key-of-the-documentation'
const SECRET = 'a secret of the documentation'

/** Programs that commands may use as they are. Any other is unknown to their shell. */
const PROGRAMS = [
  'bash',
  'sh',
  'git',
  'tar',
  'gzip',
  'openssl',
  'cut',
  'cat',
  'mkdir',
  'rm',
  'mkfifo',
  'sed',
  'env',
  'basename',
]

/** curl that fails with the server, and reaches nothing but the test. */
const CURL = `#!/bin/bash
for word in "$@"; do
  case "$word" in
    http://127.0.0.1:*) ;;
    http*://*) echo "not an address of the test: $word" >&2; echo x >> "$FAILED"; exit 90 ;;
  esac
done
CURL --fail-with-body --max-time 100 "$@"
status=$?
[ $status = 0 ] || echo "curl: $status" >> "$FAILED"
exit $status
`

/** The person at the terminal agrees to what a command asks. */
const NPX = `#!/bin/bash
case "$1" in
  faultline) shift ;;
  *) echo "npx $1 is unknown" >&2; exit 91 ;;
esac
case "$1 $*" in
  *--help*) ;;
  generate*|improve*|heal*|fix*|feature*) set -- "$@" --yes ;;
esac
exec "$NODE" "$CHECKOUT/src/cli.ts" "$@"
`

/** \`npm start\` runs the real server until it listens; \`npm test\` fails as a test of the shop would. */
const NPM = `#!/bin/bash
case "$1" in
  test) printf '%s\\n' "$TRACE" >&2; exit 1 ;;
  start) ;;
  *) echo "npm $1 is unknown" >&2; exit 92 ;;
esac
said="$STATE/said.$$"
mkfifo "$said"
PORT=0 LOG_LEVEL=silent DATA_DIR="$STATE/started/data" VECTOR_STORE_DIR="$STATE/started/v" \\
  CLONED_REPOS_DIR="$STATE/started/c" "$NODE" "$CHECKOUT/src/server.ts" 2> "$said" > /dev/null &
server=$!
listens=1
while read -r line; do
  echo "$line"
  case "$line" in *'listens on'*) listens=0; break ;; esac
done < "$said"
kill $server 2> /dev/null
wait $server 2> /dev/null
exit $listens
`

/** Runs one command as the next of a session: variables and the folder are those that the one before left. */
const SESSION = `set -a
[ -f "$STATE/variables" ] && . "$STATE/variables"
[ -f "$STATE/folder" ] && cd "$(cat "$STATE/folder")"
eval "$COMMAND"
code=$?
unset COMMAND
export -p > "$STATE/variables"
pwd > "$STATE/folder"
exit $code
`

const SHOP_FIX = `Nothing has no average.

\`\`\`diff
--- a/src/shop/prices.py
+++ b/src/shop/prices.py
@@ -4,3 +4,5 @@
 def average(items):
+    if not items:
+        return 0
     total = sum(item["price"] for item in items)
     return total / len(items)
\`\`\`
`
const PRIMES_FIX = `\`\`\`diff
--- a/main.sh
+++ b/main.sh
@@ -1,1 +1,1 @@
-echo 2 3 5 7
+echo "first \${1:-4}"
\`\`\`
`
/** What the reviewer of a task says. */
const APPROVED = JSON.stringify({ decision: 'approve', issues: [], summary: 'Reads well.' })
/** What the agent of features plans, and what it writes. */
const PLANNED = JSON.stringify({
  understood: 'Store characters with a name, a role and an age.',
  entities: [],
  tools: [],
  files: [{ path: 'src/dynamic/characters.ts', purpose: 'Keeps characters.' }],
  branchName: 'feat/add-characters-v1',
  steps: ['Write src/dynamic/characters.ts'],
})
const WRITTEN = 'src/dynamic/characters.ts\n```ts\nexport const characters = new Map<string, object>()\n```\n'
const PROGRAM = 'main.sh\n```sh\necho 2 3 5 7\n```\n'

/** Beside the shop: what README and docs call Flask, and a test that passes when the shop is mended. */
const MORE_FILES = {
  'src/flask/app.py': 'def full_dispatch_request(self):\n    return index()\n',
  'package.json': '{"name": "shop", "scripts": {"test": "bash check.sh"}}\n',
  'check.sh': 'grep -q "if not items" src/shop/prices.py\n',
}

/** What a model says: a program, a script, or a change of what it is shown. */
function modelReply(request: Record<string, unknown>): Reply {
  const messages = request.messages as Array<{ role: string; content: string }>
  const system = messages.find(({ role }) => role === 'system')?.content ?? ''
  const asked = messages.map(({ content }) => content).join('\n')
  if (/adds features/.test(system)) return { text: /"branchName"/.test(asked) ? PLANNED : WRITTEN }
  if (/reviewer/.test(system)) return { text: APPROVED }
  if (/unified diff/.test(system)) return { text: /main\.sh/.test(asked) ? PRIMES_FIX : SHOP_FIX }
  return { text: PROGRAM }
}

/** Programs of the session in a folder of their own. */
function writePrograms(folder: string): void {
  mkdirSync(folder)
  const find = (name: string): string => {
    const found = `${CHILD_ENV.PATH}:/usr/bin:/bin`
      .split(':')
      .map(place => join(place, name))
      .find(path => existsSync(path))
    if (found === undefined) throw new Error(`${name} is not installed`)
    return found
  }
  for (const name of PROGRAMS) symlinkSync(find(name), join(folder, name))
  const own = { curl: CURL.replace('CURL ', `${find('curl')} `), npx: NPX, npm: NPM }
  for (const [name, text] of Object.entries(own)) {
    writeFileSync(join(folder, name), text)
    chmodSync(join(folder, name), 0o755)
  }
}

/** How a command ended. */
export interface Outcome {
  exitCode: number
  stdout: string
  stderr: string
}

/** A machine as the pages have it: a server, a forge, a model, a repository of the reader's own. */
export interface DocWorld {
  /** Runs a command of a page, whose addresses are replaced by those of this world. */
  run(command: string): Promise<Outcome>
}

/** The id of the job or answer that a command printed, for `$ID` in those after it. */
function idIn(stdout: string): string | null {
  try {
    const { id } = JSON.parse(stdout) as { id?: unknown }
    return typeof id === 'string' ? id : null
  } catch {
    return null
  }
}

function exitCodeOf(error: { code?: unknown } | null): number {
  if (error === null) return 0
  return typeof error.code === 'number' ? error.code : KILLED
}

interface WorldOptions {
  /** Whether the server wants keys. */
  keyed: boolean
  /** Whether the command line, too, has the project `shop`. */
  cloned: boolean
}

/** The world of one page; all of it goes with the test. */
export async function openDocWorld(t: Test, { keyed, cloned }: WorldOptions): Promise<DocWorld> {
  const root = openFolder(t)
  const state = join(root, 'state')
  const home = join(root, 'home')
  const programs = join(root, 'programs')
  const forge = join(root, 'forge')
  for (const folder of [join(state, 'started'), join(root, 'cli'), join(home, 'src')]) {
    mkdirSync(folder, { recursive: true })
  }
  writePrograms(programs)

  for (const path of ['acme/shop.git', 'acme/private.git', 'pallets/flask.git']) {
    const repository = createShop(join(forge, path))
    for (const tag of ['v1.0.0', '3.0.0']) repository.git('tag', tag)
    repository.commit(MORE_FILES)
  }
  const forgeServer = await startGitHttpServer(forge)
  t.teardown(() => forgeServer.close())
  const model = await startModelServer({ otherwise: modelReply })
  t.teardown(() => model.close())
  const settings = {
    LLM_BASE_URL: model.baseUrl,
    LLM_MODEL: 'scripted',
    ALLOW_PRIVATE_HOSTS: 'true',
  }
  const built = await buildApp(t, {
    root: join(root, 'server'),
    env: {
      ...settings,
      WEBHOOK_SECRETS: `github=${SECRET},ci=${SECRET}`,
      ...(keyed ? { API_KEYS: `docs:${DOC_KEY}` } : {}),
    },
  })
  const url = await listen(t, built)

  const here = (command: string): string =>
    command
      .replaceAll('http://127.0.0.1:8000', url)
      .replace(/(?:https:\/\/)?\bgithub\.com\/(acme|pallets)\/(\w+)(?:\.git)?/g, `${forgeServer.url}/$1/$2.git`)
  const env = {
    ...CHILD_ENV,
    PATH: programs,
    HOME: home,
    STATE: state,
    FAILED: join(state, 'failed'),
    NODE: process.execPath,
    CHECKOUT: ROOT,
    TRACE: SHOP_TRACE,
    FAULTLINE: url,
    KEY: DOC_KEY,
    SECRET,
    ...settings,
    DATA_DIR: join(root, 'cli', 'data'),
    VECTOR_STORE_DIR: join(root, 'cli', 'vector_store'),
    CLONED_REPOS_DIR: join(root, 'cli', 'cloned_repos'),
  }

  const run = async (command: string): Promise<Outcome> => {
    rmSync(env.FAILED, { force: true })
    const outcome = await new Promise<Outcome>(resolve => {
      const options = { env: { ...env, COMMAND: here(command) }, cwd: home, timeout: COMMAND_TIMEOUT_MS }
      execFile('/bin/bash', ['-c', SESSION], options, (error, stdout, stderr) => {
        resolve({ exitCode: exitCodeOf(error), stdout, stderr })
      })
    })
    const id = idIn(outcome.stdout)
    if (id !== null) appendFileSync(join(state, 'variables'), `\ndeclare -x ID=${JSON.stringify(id)}\n`)
    if (!existsSync(env.FAILED)) return outcome
    return { ...outcome, exitCode: outcome.exitCode || 1, stderr: outcome.stderr + readFileSync(env.FAILED, 'utf8') }
  }

  const shop = 'https://github.com/acme/shop.git'
  const prepare = [
    `git clone -q ${shop} ~/src/my-app && cd ~/src/my-app && printf "%s\\n" "$TRACE" > crash.log`,
    `curl -s "$FAULTLINE/clone?wait=60" -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' -d '{"url": "${shop}"}'`,
    ...(cloned ? [`npx faultline clone ${shop}`] : []),
  ]
  for (const command of prepare) {
    const { exitCode, stderr } = await run(command)
    if (exitCode !== 0) throw new Error(`${command}: ${stderr}`)
  }
  return { run }
}
