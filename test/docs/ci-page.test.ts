import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test, type Test } from 'tap'
import { parse } from 'yaml'
import { CHILD_ENV } from '../helpers/child-env.ts'
import { SHOP_LOG } from '../helpers/ci-logs.ts'
import { filled, runAction, runProgram } from '../helpers/github-runner.ts'
import { CI_KEY, keyedShop } from '../helpers/keyed-shop.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const WHOLE = readFileSync(join(ROOT, 'docs/ci.md'), 'utf8')
const PAGE = WHOLE.slice(0, WHOLE.indexOf('## Send the log'))
const blocks = (language: string): string[] =>
  [...PAGE.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(([, text = '']) => text)
const [ASK = '', COMMAND = '', UPLOAD = '', GITLAB = ''] = blocks('yaml')
const BASH = ['--noprofile', '--norc', '-eo', 'pipefail', '-c']

interface Step {
  run?: string
  uses?: string
  if?: string
  with?: Record<string, string>
}

/** A folder of CI in which `npm test` fails as the shop does, and `faultline` is a command. */
async function setUp(t: Test) {
  const shop = await keyedShop(t)
  const bin = join(shop.root, 'bin')
  mkdirSync(bin)
  writeFileSync(join(shop.root, 'printed.txt'), SHOP_LOG)
  const program = (name: string, script: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  program('npm', `cat '${join(shop.root, 'printed.txt')}' >&2; exit 1`)
  program('faultline', `exec '${process.execPath}' '${join(ROOT, 'bin/faultline.js')}' "$@"`)
  const env = { ...CHILD_ENV, PATH: `${bin}:${CHILD_ENV.PATH}`, HOME: shop.root }
  const asked = (text: string) => text.replaceAll('https://faultline.example.com', shop.url)
  const inputsOf = ({ with: given = {} }: Step) =>
    Object.fromEntries(
      Object.entries(given).map(([name, value]) => [
        name,
        asked(filled(value, { secrets: { FAULTLINE_API_KEY: CI_KEY } })),
      ]),
    )
  return {
    ...shop,
    env,
    asked,
    bash: (script: string, more: Record<string, string> = {}) =>
      runProgram('bash', [...BASH, script], { cwd: shop.folder, env: { ...env, ...more } }),
    use: (step: Step) => runAction(shop.folder, inputsOf(step), { sha: shop.sha, env }),
  }
}

test('the lines of docs/ci.md', async t => {
  const { bash, use, folder, asked, url } = await setUp(t)

  await t.test('a step that fails, and the one that asks', async t => {
    const [first, second] = parse(ASK) as Step[]
    t.equal((await bash(first?.run ?? '')).exitCode, 1)
    t.match(second, { uses: 'OWNER/faultline@main', if: 'failure()' })
    const { exitCode, output, outputs } = await use(second ?? {})
    t.equal(exitCode, 0, output)
    t.match(output, /^::error file=src\/shop\/prices\.py,line=6/)
    t.equal(outputs.fault, 'project')
    const [upload] = parse(UPLOAD) as Step[]
    t.ok(existsSync(join(folder, upload?.with?.sarif_file ?? '')), 'what is uploaded is what was written')
    t.match(upload?.if, `hashFiles('${upload?.with?.sarif_file}')`)
  })

  await t.test('a step that runs the command itself', async t => {
    const [step] = parse(COMMAND) as Step[]
    t.match(await use(step ?? {}), { exitCode: 1, output: /division by zero[^]*\n::error file=src\/shop\/prices\.py/ })
  })

  await t.test('a job of GitLab', async t => {
    const template = parse(readFileSync(join(ROOT, 'deploy/ci/gitlab.yml'), 'utf8'))['.faultline']
    const { test: job } = parse(asked(GITLAB)) as { test: { extends: string; script: string[]; variables: object } }
    t.equal(job.extends, '.faultline')
    const variables = { ...template.variables, ...job.variables, FAULTLINE_API_KEY: CI_KEY, CI_JOB_STATUS: 'failed' }
    t.equal((await bash(job.script.join('\n'), variables)).exitCode, 1)
    const { output } = await bash(template.after_script.join('\n'), variables)
    t.match(output, /^ZeroDivisionError: division by zero\n/)
    t.match(JSON.parse(readFileSync(join(folder, 'gl-code-quality-report.json'), 'utf8')), [{ severity: 'critical' }])
    const [, plain = ''] = /then write\s+`(npm test [^`]*)`/.exec(PAGE) ?? []
    const ended = await bash(plain, variables)
    t.equal(ended.exitCode, 1)
    t.equal(ended.output, SHOP_LOG)
  })

  await t.test('the command line and curl', async t => {
    const [command = '', curl = ''] = blocks('sh')
    const variables = { FAULTLINE_SERVER: url, FAULTLINE_API_KEY: CI_KEY }
    t.match(await bash(command, variables), { exitCode: 10, stderr: '' })
    t.match(readFileSync(join(folder, 'faultline.md'), 'utf8'), /^<!-- faultline shop -->\n\n## `ZeroDivisionError`/)
    t.match(JSON.parse((await bash(curl, variables)).output), { version: '2.1.0' })
  })
})

test('the page names the variables of the script, and the inputs of the action are called alike', async t => {
  const script = readFileSync(join(ROOT, 'deploy/ci/faultline.sh'), 'utf8')
  const { inputs } = parse(readFileSync(join(ROOT, 'action.yml'), 'utf8')) as { inputs: object }
  for (const [, name = ''] of PAGE.matchAll(/\b(FAULTLINE_[A-Z_]+)\b/g)) t.ok(script.includes(name), name)
  const known = new Set([...script.matchAll(/\b(FAULTLINE_[A-Z_]+)/g)].map(([, name = '']) => name))
  for (const input of Object.keys(inputs)) {
    const name = `FAULTLINE_${input
      .replace(/-file$/, '')
      .replaceAll('-', '_')
      .toUpperCase()}`
    t.ok(known.has(name) || input === 'command', name)
  }
})
