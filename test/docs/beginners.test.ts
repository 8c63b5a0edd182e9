import { readFileSync } from 'node:fs'
import { test } from 'tap'
import { openDocWorld, type DocWorld } from '../helpers/doc-world.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

interface Mistake {
  command: string
  /** What is said: what happened, and the cure. */
  says: readonly RegExp[]
}

/** What somebody does who has read the first page only, over HTTP. */
const OVER_HTTP: readonly Mistake[] = [
  {
    command: `curl -s http://127.0.0.1:8000/resolve -H 'Content-Type: application/json' -d '{"project_name": "mine", "stacktrace": "x"}'`,
    says: [/"PROJECT_NOT_FOUND"/, /no project \\"mine\\"/, /POST \/clone makes one/],
  },
  {
    command: 'curl -s http://127.0.0.1:8000/resolve -d @crash.log',
    says: [/"UNSUPPORTED_MEDIA_TYPE"/, /'Content-Type: application\/json'/, /text\/plain' --data-binary @file/],
  },
  {
    command: `curl -s http://127.0.0.1:8000/resolve -H 'Content-Type: application/json' -d "{\\"stacktrace\\": \\"$(cat crash.log)\\"}"`,
    says: [/"MALFORMED_JSON"/, /newlines/, /--data-binary @file/],
  },
  {
    command: `curl -s --data-binary @crash.log http://127.0.0.1:8000/resolve -H 'Content-Type: text/plain'`,
    says: [/"VALIDATION_FAILED"/, /project_name is required/, /\/resolve\?project_name=NAME/],
  },
  {
    command: `curl -s http://127.0.0.1:8000/resolve -H 'Content-Type: application/json' -d '{"project_name": "shop", "trace": "x"}'`,
    says: [/"VALIDATION_FAILED"/, /stacktrace is required/, /trace is not a known field/, /\/docs shows/],
  },
  { command: 'curl -s http://127.0.0.1:8000/resolve', says: [/"METHOD_NOT_ALLOWED"/, /Use POST/] },
  { command: 'curl -s http://127.0.0.1:8000/', says: [/"NOT_FOUND"/, /GET \/docs lists the routes/] },
  {
    command: `curl -s http://127.0.0.1:8000/clone -H 'Content-Type: application/json' -d '{"url": "flask"}'`,
    says: [/"BAD_REPOSITORY_URL"/, /https:\/\/host\/owner\/repository/],
  },
  {
    command: `curl -s http://127.0.0.1:8000/clone -H 'Content-Type: application/json' -d "{\\"url\\": \\"$HOME/src/my-app\\"}"`,
    says: [/"LOCAL_REPOSITORY_REFUSED"/, /Set ALLOW_LOCAL_REPOS/],
  },
]

const NO_MODEL = 'LLM_BASE_URL= LLM_MODEL='
const START = '"$NODE" "$CHECKOUT/src/server.ts"'

/** The same on the command line, and at the start of a server. */
const HERE: readonly Mistake[] = [
  {
    command: 'cd / && npx faultline resolve ~/src/my-app/crash.log',
    says: [/in no git repository/, /--project NAME .*--repo PATH/],
  },
  {
    command: 'cd ~/src/my-app && npx faultline resolve crsh.log',
    says: [/There is no file ".*\/crsh\.log"/, /Name a file/],
  },
  { command: 'true | npx faultline resolve -', says: [/Nothing came in/, /npm test 2>&1 \| faultline resolve -/] },
  {
    command: 'npx faultline resolve crash.log --project typo',
    says: [/no project "typo"/, /"faultline projects" lists/],
  },
  { command: 'npx faultline search average', says: [/no project yet/, /"faultline clone <url>" makes one/] },
  { command: 'npx faultline clone ../nowhere', says: [/nothing at "\.\.\/nowhere"/, /an address such as https:/] },
  {
    command: `${NO_MODEL} npx faultline generate "a program"`,
    says: [/No model is configured/, /LLM_BASE_URL=http:.* LLM_MODEL=/],
  },
  { command: `${NO_MODEL} OPENAI_API_KEY=sk-1 npx faultline doctor`, says: [/no model is named/, /Set LLM_MODEL/] },
  { command: 'npx faultline reslove crash.log', says: [/Did you mean resolve\?/, /faultline --help/] },
  { command: 'npx faultline projects --server http://127.0.0.1:65534', says: [/No server answers/, /faultline serve/] },
  {
    command: `PORT="\${FAULTLINE##*:}" DATA_DIR="$STATE/started/d" ${START}`,
    says: [/port \d+ is taken\. Set PORT to a free one/],
  },
  { command: `HOST=0.0.0.0 ${START}`, says: [/API_KEYS is not set/, /Set API_KEYS=name:key/] },
  { command: `PORT=80x ${START}`, says: [/PORT="80x"/, /an integer from 0 to 65535/] },
  { command: `LLM_BASE_URL=localhost:11434 ${START}`, says: [/LLM_BASE_URL="localhost:11434"/, /an http\(s\) URL/] },
]

/** Doctor reports what is missing, which is no failure. */
const SUCCEEDS = /faultline doctor/

async function tryOut(world: DocWorld, { command }: Mistake): Promise<{ said: string; exitCode: number }> {
  const { exitCode, stdout, stderr } = await world.run(`(${command})`)
  return { said: stdout + stderr, exitCode }
}

test('each mistake of a beginner is told with its cure', { timeout: 300_000 }, async t => {
  const world = await openDocWorld(t, { keyed: false, cloned: false })
  const all: string[] = []
  for (const mistake of [...OVER_HTTP, ...HERE]) {
    const { said, exitCode } = await tryOut(world, mistake)
    if (!SUCCEEDS.test(mistake.command)) t.not(exitCode, 0, mistake.command)
    for (const expected of mistake.says) t.match(said, expected, mistake.command)
    t.notMatch(said, /^\s+at .*\(?(?:file|node):/m, `no stack trace of ours: ${mistake.command}`)
    all.push(said)
  }
  const table = read('README.md').split('## When something goes wrong')[1]?.split('\n## ')[0] ?? ''
  const seen = [...table.matchAll(/^\| `([^`]+)`/gm)].map(([, text = '']) => text)
  t.ok(seen.length >= 5)
  for (const text of seen) {
    const pattern = new RegExp(text.replace(/\d+/, '\\d+'))
    t.ok(
      all.some(said => pattern.test(said)),
      `the README says what is said: ${text}`,
    )
  }
})

test('who brings no key is told where it goes', { timeout: 120_000 }, async t => {
  const world = await openDocWorld(t, { keyed: true, cloned: false })
  const http = await world.run('curl -s http://127.0.0.1:8000/projects')
  t.match(http.stdout, /"UNAUTHORIZED"/)
  t.match(http.stdout, /Authorization: Bearer/)
  const cli = await world.run('npx faultline projects --server "$FAULTLINE"')
  t.match(cli, { exitCode: 3, stderr: /--api-key or FAULTLINE_API_KEY/ })
})
