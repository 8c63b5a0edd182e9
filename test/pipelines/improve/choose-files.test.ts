import { join } from 'node:path'
import { test } from 'tap'
import { buildWithModel } from '../../helpers/build-with-model.ts'
import { cloneInto } from '../../helpers/build-app.ts'
import { createGitRepository } from '../../helpers/git-repository.ts'
import { applyIn, buildProject } from '../../helpers/project-with-model.ts'

const FILES = {
  'src/shop/prices.py': 'def average(items):\n    total = sum(items)\n    return total / len(items)\n',
  'src/shop/mail.py': 'def send(letter):\n    print(letter)\n',
  'src/weather.py': 'def forecast(city):\n    return "rain in " + city\n',
  'src/huge.py': `def average_of_huge():\n${'    pass  # average price\n'.repeat(9000)}`,
  '.env': 'AVERAGE_TOKEN=hunter2\n',
}
const NOTHING = { text: 'No change is needed.' }
const shownIn = (content = '') => Array.from(content.matchAll(/^(\S+)\n```+\n/gm), ([, path]) => path)

test(
  'without a selection a search for the prompt chooses the files of a project, within a budget; the choice ' +
    'is an event',
  async t => {
    const { post, sent, logsOf } = await buildProject(t, FILES, [NOTHING, NOTHING])
    const job = (
      await post('/improve', {
        prompt: 'Return 0 for the average price of no items',
        project_name: 'shop',
        review: 'auto',
        max_refinements: 0,
      })
    ).json()
    const shown = shownIn(sent(0)[1]?.content)
    t.equal(shown[0], 'src/shop/prices.py')
    t.notOk(shown.includes('src/huge.py'), 'it alone is more than the budget')
    t.notOk(shown.includes('.env'))
    const chosen = (await logsOf(job.id)).find(text => text.startsWith('Chosen for the prompt'))
    t.match(chosen, new RegExp(`tokens: ${shown.join(', ')}$`))
    await post('/improve', {
      prompt: 'Say sun instead, in weather.py. Not in src/shop/mail.py.',
      project_name: 'shop',
      review: 'auto',
      max_refinements: 0,
    })
    t.same(
      shownIn(sent(1)[1]?.content).slice(0, 2),
      ['src/weather.py', 'src/shop/mail.py'],
      'what the prompt names comes first',
    )
  },
)

test("globs and gpt-engineer's file select, of files that were sent, too", async t => {
  const { post, sent } = await buildProject(
    t,
    FILES,
    Array.from({ length: 4 }, () => NOTHING),
  )
  const { '.env': _secret, ...files } = FILES
  const ask = async (body: object) =>
    (await post('/improve', { prompt: 'x', review: 'auto', max_refinements: 0, ...body })).json()
  await ask({ project_name: 'shop', select: ['src/shop/*.py', 'src/w*'] })
  await ask({
    project_name: 'shop',
    select_toml: '[files]\n"src/weather.py" = "selected"\n[files.src.shop]\n"mail.py" = "selected"\n',
  })
  await ask({ files, select: ['**/mail.py'] })
  await ask({
    files,
    select_toml: '[linting]\n"linting" = "off"\n[files]\n# "src/huge.py" = "selected"\n"src/weather.py" = "selected"\n',
  })
  t.same(
    [0, 1, 2, 3].map(n => shownIn(sent(n)[1]?.content)),
    [
      ['src/shop/mail.py', 'src/shop/prices.py', 'src/weather.py'],
      ['src/weather.py', 'src/shop/mail.py'],
      ['src/shop/mail.py'],
      ['src/weather.py'],
    ],
  )
})

test('of a selection what is no text is left out, with an event; a selection of nothing else fails', async t => {
  const { post, sent, logsOf } = await buildProject(
    t,
    { 'a.py': 'a = 1\n', 'logo.png': Buffer.from([0, 1, 2]), 'latin.txt': Buffer.from([0xe9, 0x0a]) },
    [NOTHING],
  )
  const job = (
    await post('/improve', { prompt: 'x', project_name: 'shop', select: ['*'], review: 'auto', max_refinements: 0 })
  ).json()
  t.same(shownIn(sent(0)[1]?.content), ['a.py'])
  t.ok((await logsOf(job.id)).some(text => text.endsWith('latin.txt, logo.png.')))
  t.match((await post('/improve', { prompt: 'x', project_name: 'shop', select: ['*.png'] })).json(), {
    status: 'failed',
    error: { code: 'VALIDATION_FAILED', message: /logo\.png/ },
  })
})

test('a selection that cannot be met is refused before there is a job', async t => {
  const { post, app, model } = await buildProject(t, FILES, [])
  const refused: Array<[body: object, detail: RegExp]> = [
    [{ select: ['docs/**'] }, /No file fits select/],
    [{ select: ['.env'] }, /No file fits select/],
    [{ select: ['{'] }, /glob/],
    [{ select: ['**'], select_toml: '[files]\n"src/weather.py" = "selected"' }, /in two ways/],
    [
      { select_toml: '[files]\n"src/weather.py" = "selected"\n"nope.py" = "selected"' },
      /line 3: there is no file "nope\.py"/,
    ],
    [{ select_toml: '[files]\nx = = 1' }, /line 2: invalid value/],
    [{ select_toml: '[files]\n\n[colour]\n' }, /line 3: there is no table or key "colour"/],
    [{ select_toml: '[files]\n' }, /selects no file/],
    [
      { select_toml: '[linting]\n"linting" = "off"\n[files]\n"src/weather.py" = "selected"', lint: true },
      /turns linting off/,
    ],
    [{ lint: true }, /has no linter/],
    [{ repository: 'other' }, /holds no repository "other", but shop/],
  ]
  for (const [body, detail] of refused) {
    t.match(
      (await post('/improve', { prompt: 'x', project_name: 'shop', ...body })).json(),
      { status: 400, code: 'VALIDATION_FAILED', detail },
      JSON.stringify(body),
    )
  }
  for (const field of [{ lint: true }, { push: true }, { allow_paths: ['x'] }, { repository: 'shop' }]) {
    t.match(
      (await post('/improve', { prompt: 'x', files: { 'a.py': '1\n' }, ...field })).json(),
      { status: 400, detail: /needs a project/ },
      JSON.stringify(field),
    )
  }
  t.equal((await app.inject('/jobs?type=improve')).json().data.length, 0)
  t.equal(model.requests.length, 0)
})

test('a project with several repositories needs to be told which', async t => {
  const built = await buildProject(t, FILES, [{ text: 'other.py\n```python\nX = 2\n```\n' }])
  const other = createGitRepository(join(built.reposDir, 'other.git'), { files: { 'other.py': 'X = 1\n' } })
  const { result } = await cloneInto(t, built, { url: other.dir, project_name: 'shop' })
  t.match((await built.post('/improve', { prompt: 'x', project_name: 'shop' })).json(), {
    status: 400,
    detail: /several repositories: shop, other|several repositories: other, shop/,
  })
  const job = (
    await built.post('/improve', { prompt: 'Two', project_name: 'shop', repository: 'other', review: 'auto' })
  ).json()
  t.match(job, { status: 'succeeded', result: { base_commit: result.commit, files: [{ path: 'other.py' }] } })
  t.equal(built.git('for-each-ref', 'refs/heads'), '', 'nothing in the first one')
})

test('dry_run says what would be asked about a project, and makes no job', async t => {
  const { post, app, model } = await buildProject(t, FILES, [])
  const { messages, tokens } = (
    await post('/improve', { prompt: 'Mend weather.py', project_name: 'shop', dry_run: true })
  ).json()
  t.match(messages[1].content, /src\/weather\.py\n```/)
  t.ok(tokens > 100)
  t.match((await post('/improve', { prompt: 'x', project_name: 'shop', select: ['nope'], dry_run: true })).json(), {
    status: 400,
  })
  t.equal((await app.inject('/jobs?type=improve')).json().data.length, 0)
  t.equal(model.requests.length, 0)
})

test('the patch of files that were sent is a mail that git am takes where they are', async t => {
  const { post, app, reposDir } = await buildWithModel(t, [
    {
      text:
        '```diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n--- /dev/null\n+++ b/new dir/ü.py\n' +
        '@@ -0,0 +1 @@\n+y = 1\n```\n',
    },
  ])
  const repository = createGitRepository(join(reposDir, 'mine.git'), { files: { 'a.py': 'x = 1\n' } })
  const job = (
    await post('/improve', { prompt: 'Größer: x soll 2 sein', files: { 'a.py': 'x = 1\n' }, review: 'auto' })
  ).json()
  t.match(job, { status: 'succeeded', result: { base_commit: null, branch: null, commit: null } })
  const [diff, patch] = await Promise.all(
    ['diff', 'patch'].map(async kind => (await app.inject(`/jobs/${job.id}/${kind}`)).body),
  )
  t.match(applyIn(repository.dir, { commit: 'main', diff: diff ?? '', patch: patch ?? '', path: 'a.py' }), {
    apply: 'x = 2\n',
    am: 'x = 2\n',
    message: 'Größer: x soll 2 sein\n\n',
  })
})
