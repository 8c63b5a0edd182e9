import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { packageRegistry, type PackageRegistry } from '../../helpers/package-registry.ts'
import { buildProject } from '../../helpers/project-with-model.ts'
import { inJail, needing } from '../../helpers/sandbox.ts'

const withNpm = needing(inJail, existsSync('/usr/bin/npm'), 'npm is not installed in /usr')
const EDIT = '```diff\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+two\n```\n'

const registryEnv = ({ url, host }: PackageRegistry) => ({
  ALLOW_PRIVATE_HOSTS: 'true',
  SANDBOX_REGISTRIES: host,
  npm_config_registry: `${url}/npm/`,
  PIP_INDEX_URL: `${url}/simple`,
})

const lockOf = ({ url, integrity }: PackageRegistry) =>
  JSON.stringify({
    name: 'shop',
    lockfileVersion: 3,
    packages: {
      '': { name: 'shop', dependencies: { 'tiny-pack': '1.0.0' } },
      'node_modules/tiny-pack': {
        version: '1.0.0',
        resolved: `${url}/npm/tiny-pack/-/tiny-pack-1.0.0.tgz`,
        integrity,
        hasInstallScript: true,
      },
    },
  })

/** A project of npm, whose linter needs a package. */
const npmProject = (registry: PackageRegistry) => ({
  'a.txt': 'one\n',
  'package.json': JSON.stringify({
    name: 'shop',
    scripts: { lint: 'node lint.js', postinstall: 'echo RAN > ran' },
    dependencies: { 'tiny-pack': '1.0.0' },
  }),
  'package-lock.json': lockOf(registry),
  'lint.js':
    "console.log(require('tiny-pack'), require('fs').existsSync('ran'), process.env.HTTPS_PROXY);" +
    "require('fs').writeFileSync('node_modules/tiny-pack/main.js', 'poison')\n",
})

type Built = Awaited<ReturnType<typeof buildProject>>
interface JobAnswer {
  id: string
  status: string
  error: { code: string; message: string; fix?: string } | null
  result: Record<string, unknown>
}

const installsOf = async ({ app }: Pick<Built, 'app'>): Promise<JobAnswer[]> =>
  (await app.inject('/jobs?type=environment')).json().data

/** A job that runs the project's linter; waits until it has ended. */
async function lintWith({ app, post }: Pick<Built, 'app' | 'post'>): Promise<JobAnswer> {
  const body = { prompt: 'Two', project_name: 'shop', select: ['a.txt'], lint: true, review: 'auto' }
  let job: JobAnswer = (await post('/improve', body)).json()
  while (['queued', 'running'].includes(job.status)) job = (await app.inject(`/jobs/${job.id}?wait=30`)).json()
  return job
}

async function outputOf({ app }: Pick<Built, 'app'>, { id }: JobAnswer): Promise<string> {
  const { data } = (await app.inject(`/jobs/${id}/transcript`)).json()
  return data.find(({ kind }: { kind: string }) => kind === 'command')?.stdout ?? ''
}

async function npmBuilt(t: Test, replies = 1, env: Record<string, string> = {}) {
  const registry = await packageRegistry(t)
  const model = Array.from({ length: replies }, () => ({ text: EDIT }))
  const built = await buildProject(t, npmProject(registry), model, { env: { ...registryEnv(registry), ...env } })
  return { ...built, registry }
}

test(
  'the dependencies of a project are installed once, by a job of their own, without their scripts',
  withNpm,
  async t => {
    const built = await npmBuilt(t, 2)
    const first = await lintWith(built)
    t.equal(first.status, 'succeeded', JSON.stringify(first.error))
    t.match(await outputOf(built, first), /hello of npm false undefined\n$/, 'no script ran, and no network is left')
    const asked = built.registry.asked.length
    t.ok(asked > 0)
    const second = await lintWith(built)
    t.match(await outputOf(built, second), /hello of npm false/, 'what the first changed is not seen')
    t.equal(built.registry.asked.length, asked, 'nothing is installed again')
    const installs = await installsOf(built)
    t.match(installs, [{ status: 'succeeded', result: { install: 'npm ci', reused: false, commit: built.commit } }])
    t.equal(installs.length, 1)
    const logs = await built.logsOf(installs[0]?.id ?? '')
    t.match(logs.join(''), /added 1 package/, 'its output is in its events')
  },
)

test('another commit with the same lock file needs no install, and another lock file does', withNpm, async t => {
  const built = await npmBuilt(t, 3)
  await lintWith(built)
  built.repository.commit({ 'b.txt': 'b\n' })
  await built.app.inject({
    method: 'POST',
    url: '/clone?wait=30',
    body: { url: built.repository.dir, project_name: 'shop' },
  })
  t.equal((await lintWith(built)).status, 'succeeded')
  t.equal((await installsOf(built)).length, 1)
  built.repository.commit({ 'package-lock.json': `${lockOf(built.registry)}\n` })
  await built.app.inject({
    method: 'POST',
    url: '/clone?wait=30',
    body: { url: built.repository.dir, project_name: 'shop' },
  })
  t.equal((await lintWith(built)).status, 'succeeded')
  t.equal((await installsOf(built)).length, 2)
})

test(
  'an install reaches the registries alone; what failed is not tried again at once, and can be retried',
  withNpm,
  async t => {
    const registry = await packageRegistry(t)
    const files = npmProject({ ...registry, url: 'https://elsewhere.example' })
    const built = { ...(await buildProject(t, files, [], { env: registryEnv(registry) })), registry }
    const failed = await lintWith(built)
    t.match(failed, {
      status: 'failed',
      error: { code: 'LINT_FAILED', message: /install command ended with exit code 1/ },
    })
    t.equal(built.registry.asked.length, 0, 'it never got there')
    t.match((await lintWith(built)).error, failed.error)
    const [install, ...others] = await installsOf(built)
    t.same(others, [])
    t.match(install, { status: 'failed', error: { code: 'ENVIRONMENT_FAILED', fix: /SANDBOX_REGISTRIES/ } })
    const retried = await built.post(`/jobs/${install?.id}/retry`, {})
    t.match(retried.json(), { type: 'environment', status: 'failed', error: { code: 'ENVIRONMENT_FAILED' } })
  },
)

test('the file of the default branch says how to install; a wrong one is told, and does not count', inJail, async t => {
  const files = {
    'a.txt': 'one\n',
    '.faultline.toml': '[checks]\ninstall = "mkdir deps && echo x > deps/x"\nlint = "cat deps/x"\n',
  }
  const built = await buildProject(t, files, [{ text: EDIT }, { text: EDIT }])
  const first = await lintWith(built)
  t.equal(await outputOf(built, first), 'x\n', JSON.stringify(first.error))
  const patch = (checks: object) => built.app.inject({ method: 'PATCH', url: '/projects/shop', body: { checks } })
  await patch({ install: 'mkdir deps && echo ours > deps/x', build: 'make' })
  t.same((await built.app.inject('/projects/shop')).json().checks, {
    install: 'mkdir deps && echo ours > deps/x',
    build: 'make',
  })
  t.equal(await outputOf(built, await lintWith(built)), 'ours\n')
  built.repository.commit({ '.faultline.toml': '[checks]\ninstal = "x"\n' })
  await built.app.inject({
    method: 'POST',
    url: '/clone?wait=30',
    body: { url: built.repository.dir, project_name: 'shop' },
  })
  t.match((await built.post('/improve', { prompt: 'x', project_name: 'shop', lint: true })).json(), {
    detail: /no linter/,
  })
  await patch({ lint: 'true' })
  const told = await lintWith(built)
  t.ok(
    (await built.logsOf(told.id)).some(text => /\.faultline\.toml does not count: there is no key "instal"/.test(text)),
  )
})

test('ten jobs at once: one install, however few may run', withNpm, async t => {
  const built = await npmBuilt(t, 10, { JOBS_CONCURRENCY: '3' })
  const asked = built.registry.asked.length
  const jobs = await Promise.all(Array.from({ length: 10 }, () => lintWith(built)))
  t.same([...new Set(jobs.map(({ status }) => status))], ['succeeded'])
  t.equal((await installsOf(built)).length, 1)
  t.equal(built.registry.asked.slice(asked).filter(path => path.endsWith('.tgz')).length, 1)
})

test(
  'pip installs into HOME, and the tests find it there',
  needing(inJail, existsSync('/usr/lib/python3/dist-packages/pip'), 'no pip'),
  async t => {
    const registry = await packageRegistry(t)
    const files = { 'a.txt': 'one\n', 'requirements.txt': 'tiny-wheel==1.0.0\n' }
    const built = await buildProject(t, files, [{ text: EDIT }], { env: registryEnv(registry) })
    await built.app.inject({
      method: 'PATCH',
      url: '/projects/shop',
      body: { checks: { lint: '/usr/bin/python3 -c "import tiny_wheel; tiny_wheel.main()" && tiny-wheel' } },
    })
    const job = await lintWith(built)
    t.equal(await outputOf(built, job), 'hello of pip\nhello of pip\n', JSON.stringify(job.error))
  },
)

test('a hostile install changes nothing but its own layer', inJail, async t => {
  const files = {
    'a.txt': 'one\n',
    '.faultline.toml': '[checks]\ninstall = "sh hostile.sh"\nlint = "ls -A"\n',
    'hostile.sh':
      'mkdir -p deps; ln -s /etc deps/etc; ln -s ../../../../../.. up; rm -rf deps/etc/*; find up/ -delete; mkdir kept; rm -f a.txt; ln -s /etc/passwd a.txt\n' +
      'for at in / /etc /usr /workspace/../.. ; do echo x > $at/planted; done 2>/dev/null; echo poison > .faultline.toml; exit 0\n',
  }
  const built = await buildProject(t, files, [{ text: EDIT }])
  const job = await lintWith(built)
  t.equal(job.status, 'succeeded', JSON.stringify(job.error))
  t.equal(await outputOf(built, job), '.faultline.toml\na.txt\nhostile.sh\nkept\n')
  t.match(readFileSync('/etc/passwd', 'utf8'), /root/)
  const layers = readdirSync(join(built.root, 'data/workspaces/.layers'))
  t.equal(layers.length, 1)
})
