import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test, type Test } from 'tap'
import { parse } from 'yaml'
import { gitlabTemplate } from '../../scripts/deploy/gitlab-template.ts'
import { startModelServer } from '../fakes/model-server.ts'
import { CLEAN_LOG, SHOP_LOG } from '../helpers/ci-logs.ts'
import { runProgram } from '../helpers/github-runner.ts'
import { CI_KEY, keyedShop, PLAIN_KEY } from '../helpers/keyed-shop.ts'

const read = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../deploy/ci/${name}`, import.meta.url)), 'utf8')

/** GitLab's pipelines on this machine; it checks what it reads by the schema of GitLab. */
const GITLAB_CI_LOCAL = join(
  dirname(createRequire(import.meta.url).resolve('gitlab-ci-local/package.json')),
  'dist/index.js',
)
const REPORT = 'gl-code-quality-report.json'

interface Template {
  '.faultline': { variables: Record<string, string>; after_script: string[] }
}

/** The lines of `after_script`, run as the shell executor of GitLab's runner does. */
async function setUp(t: Test, env: Record<string, string> = {}) {
  const shop = await keyedShop(t, env)
  const { '.faultline': job } = parse(read('gitlab.yml')) as Template
  const script = join(shop.root, 'after_script.sh')
  return {
    ...shop,
    reportOf: () => JSON.parse(readFileSync(join(shop.folder, REPORT), 'utf8')),
    async run(log: string, shell: string[], variables: Record<string, string> = {}, own = '') {
      writeFileSync(script, [...job.after_script, own].join('\n'))
      rmSync(join(shop.folder, REPORT), { force: true })
      shop.writeLog(log, 'faultline.log')
      const [program = '', ...args] = shell
      return runProgram(program, [...args, script], {
        cwd: shop.folder,
        env: {
          PATH: process.env.PATH ?? '',
          HOME: shop.folder,
          CI_JOB_STATUS: 'failed',
          CI_COMMIT_SHA: shop.sha,
          ...job.variables,
          FAULTLINE_SERVER: shop.url,
          FAULTLINE_API_KEY: CI_KEY,
          FAULTLINE_PROJECT: 'shop',
          ...variables,
        },
      })
    },
  }
}

const BASH = ['bash', '-eo', 'pipefail']
const SH = ['sh', '-e']

test('the template holds the script, as it is', async t => {
  t.equal(read('gitlab.yml'), gitlabTemplate(read('faultline.sh')), 'node scripts/deploy/gitlab-template.ts writes it')
})

test('a job that extends the template', async t => {
  const shop = await setUp(t)

  await t.test('of a job that failed the faults are printed, and reported as code quality', async t => {
    for (const shell of [BASH, SH]) {
      const { exitCode, output, stderr } = await shop.run(SHOP_LOG, shell)
      t.equal(exitCode, 0, stderr)
      t.equal(stderr, '')
      t.match(output, /ZeroDivisionError: division by zero\n[^]*KeyError: 'price'\n/)
      t.notMatch(output, /^::/m)
      t.match(shop.reportOf(), [{ check_name: 'ZeroDivisionError', location: { path: 'src/shop/prices.py' } }])
    }
  })

  await t.test('of one that passed nothing is sent', async t => {
    t.match(await shop.run(SHOP_LOG, SH, { CI_JOB_STATUS: 'success' }), { exitCode: 0, output: '' })
    t.notOk(existsSync(join(shop.folder, REPORT)))
  })

  await t.test('lines of an after_script that follow these are run, with what the job set', async t => {
    const own = 'echo "own line, umask $(umask)"\nfalse || echo "still here: $NOT_SET"'
    for (const shell of [BASH, SH]) {
      for (const [name, value] of Object.entries({
        CI_JOB_STATUS: 'success',
        FAULTLINE_SERVER: '',
        FAULTLINE_REF: '',
      })) {
        const { exitCode, output, stderr } = await shop.run(SHOP_LOG, shell, { [name]: value }, own)
        t.equal(exitCode, 0, stderr)
        t.match(output, new RegExp(`^own line, umask 0*${process.umask().toString(8)}\\nstill here: $`, 'm'))
      }
    }
  })

  await t.test('whatever goes wrong is one sentence', async t => {
    t.match(await shop.run(SHOP_LOG, SH, { FAULTLINE_SERVER: 'http://127.0.0.1:9' }), {
      exitCode: 0,
      output: 'Faultline: No Faultline server answered at http://127.0.0.1:9.\n',
    })
    t.match(await shop.run(SHOP_LOG, SH, { FAULTLINE_API_KEY: 'guessed' }), {
      output: `Faultline: The server at ${shop.url} refused the API key (HTTP 401).\n`,
    })
    t.match(await shop.run('', SH), {
      exitCode: 0,
      output: 'Faultline: The log faultline.log is empty; nothing was sent.\n',
    })
    const bare = join(shop.root, 'bare')
    mkdirSync(bare)
    execFileSync('sh', ['-c', `for name in sh tr sed; do ln -s "$(command -v $name)" '${bare}'; done`])
    t.match(await shop.run(SHOP_LOG, SH, { PATH: bare }), {
      exitCode: 0,
      output: 'Faultline: There is no curl in this image; nothing was sent.\n',
    })
    await shop.run(CLEAN_LOG, SH)
    t.same(shop.reportOf(), [])
  })

  await t.test(
    'GitLab would take it: it fits the schema, the job keeps its exit code, and its report is there',
    async t => {
      const { folder, root } = shop
      const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
      git('init', '--quiet', '--initial-branch=main')
      git('remote', 'add', 'origin', 'https://gitlab.example.com/acme/shop.git')
      const job = {
        include: [{ local: 'gitlab.yml' }],
        test: {
          extends: '.faultline',
          script: ['set -o pipefail; (cat printed.txt; exit 3) 2>&1 | tee "$FAULTLINE_LOG"'],
        },
      }
      writeFileSync(join(folder, 'gitlab.yml'), read('gitlab.yml'))
      writeFileSync(join(folder, 'printed.txt'), SHOP_LOG)
      writeFileSync(join(folder, '.gitlab-ci.yml'), JSON.stringify(job)) // which is YAML, too
      git('add', '--all')
      git('-c', 'user.name=CI', '-c', 'user.email=ci@example.com', 'commit', '--quiet', '--message', 'Add a job')
      const bin = join(root, 'bin')
      mkdirSync(bin)
      writeFileSync(join(bin, 'rsync'), '#!/bin/sh\nexit 0\n', { mode: 0o755 }) // it copies for containers alone
      rmSync(join(folder, REPORT), { force: true })
      const variables = Object.entries({
        FAULTLINE_SERVER: shop.url,
        FAULTLINE_API_KEY: PLAIN_KEY,
        FAULTLINE_PROJECT: 'shop',
        FAULTLINE_REF: shop.sha,
      }).flatMap(([name, value]) => ['--variable', `${name}=${value}`])
      const args = ['--home', root, '--shell-executor-no-image', ...variables, 'test']
      const { exitCode, output, stderr } = await runProgram(process.execPath, [GITLAB_CI_LOCAL, ...args], {
        cwd: folder,
        env: { PATH: `${bin}:${process.env.PATH}`, HOME: root, NO_COLOR: '1' },
      })
      t.match(`${output}${stderr}`, /json schema validated/)
      t.match(output, /test.* > .*ZeroDivisionError: division by zero/, stderr)
      t.match(stderr, /FAIL.* 3/)
      t.equal(exitCode, 1)
      t.match(shop.reportOf(), [{ check_name: 'ZeroDivisionError' }])
    },
  )
})

test('with a file for a comment a model is asked once for each fault, and the comment is what is printed', async t => {
  const model = await startModelServer()
  t.teardown(model.close)
  const shop = await setUp(t, { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted' })
  for (const name of ['one', 'two', 'three']) {
    model.push({ text: `## Explanation\n\nAnswer ${name}.\n\n## Fix\n\nNone.` })
  }
  const { output } = await shop.run(SHOP_LOG, SH, { FAULTLINE_COMMENT: 'comment.md' })
  t.match(output, /^<!-- faultline shop -->\n[^]*Answer one\.[^]*Answer three\./)
  t.equal(readFileSync(join(shop.folder, 'comment.md'), 'utf8'), output)
  t.equal(model.requests.length, 3)
})
