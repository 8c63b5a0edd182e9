import { test } from 'tap'
import { listen } from '../helpers/build-app.ts'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { buildProject } from '../helpers/project-with-model.ts'
import { chromiumPath, startBrowser } from '../helpers/browser.ts'
import { createVisitor, formsOf } from '../helpers/page-forms.ts'
import { buildPageWorld } from '../helpers/page-world.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false
const CODE = 'main.py\n```python\nprint("snake")\n```\n'
const SCRIPT = '```sh\npython3 main.py\n```\n'
const edit = (value: number) =>
  `\`\`\`diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,2 @@\n-x = 1\n+x = ${value}\n y = 2\n\`\`\`\n`

test('a question is found on the first page and answered there', { skip }, async t => {
  const built = await buildWithModel(t, [
    { text: 'Which keys?\n' },
    { text: 'Should it wrap?' },
    { text: 'Nothing more.' },
    { text: CODE },
    { text: SCRIPT },
  ])
  const body = { prompt: 'Create a snake game', mode: 'clarified', execute: 'never' }
  t.equal((await built.post('/generate', body)).json().status, 'waiting')
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui`)
  await page.getByRole('region', { name: 'Jobs' }).getByRole('link', { name: 'generate' }).click()
  await page.getByRole('heading', { name: 'Which keys?' }).waitFor()
  await page.getByLabel('Answer').fill('Arrows <b>and</b> "WASD"')
  await page.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('heading', { name: 'Should it wrap?' }).waitFor()
  await page.getByRole('button', { name: 'Skip' }).click()
  await page.locator('.state.succeeded').waitFor()
  t.match(await page.locator('#job').textContent(), 'main.py')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'main.py', exact: true }).click(),
  ])
  t.equal(download.suggestedFilename(), 'main.py')
})

test('a diff is rejected with a comment, the next one approved', { skip }, async t => {
  const built = await buildProject(t, { 'a.py': 'x = 1\ny = 2\n' }, [{ text: edit(10) }, { text: edit(11) }])
  const { id } = (await built.post('/improve', { prompt: 'Ten', project_name: 'shop', select: ['*.py'] })).json()
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${id}`)
  t.same(await page.locator('tr.removed code').allTextContents(), ['x = 1'])
  t.same(await page.locator('tr.added code').allTextContents(), ['x = 10'])
  t.ok((await page.locator('tr.added .hljs-number').count()) > 0, 'it is coloured')
  await page.getByRole('link', { name: 'Side by side' }).click()
  t.same(await page.locator('table.split td.removed code').allTextContents(), ['x = 1'])
  await page.getByLabel('What should be different').fill('Eleven.')
  await page.getByRole('button', { name: 'Reject' }).click()
  await page.locator('tr.added code', { hasText: 'x = 11' }).waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.locator('.state.succeeded').waitFor()
  const { branch } = (await built.app.inject(`/jobs/${id}`)).json().result
  t.match(await page.locator('#job').textContent(), branch)
  for (const [name, ending] of [
    ['Download the diff', '.diff'],
    ['Download the patch with its message', '.patch'],
  ] as const) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()])
    t.equal(download.suggestedFilename(), `${id}${ending}`)
  }
})

test('without a script a job is answered, and looked at again, by loading pages', { skip }, async t => {
  const built = await buildProject(t, { 'a.py': 'x = 1\ny = 2\n' }, [{ text: edit(10) }])
  const { id } = (await built.post('/improve', { prompt: 'Ten', project_name: 'shop', select: ['*.py'] })).json()
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${id}`, { javaScriptEnabled: false })
  await page.getByRole('button', { name: 'Approve' }).click()
  await built.app.inject(`/jobs/${id}?wait=30`)
  await page.reload()
  t.match(await page.locator('[role=status]').textContent(), 'succeeded')
})

test('a form answers only the question that it showed', { skip }, async t => {
  const built = await buildWithModel(t, [
    { text: 'Which keys?\n' },
    { text: 'Should it wrap?' },
    { text: CODE },
    { text: SCRIPT },
  ])
  const body = { prompt: 'Create a snake game', mode: 'clarified', execute: 'never' }
  const { id } = (await built.post('/generate', body)).json()
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${id}`, { javaScriptEnabled: false })
  t.equal((await built.reply(id, { answer: 'Arrows' })).json().request.question, 'Should it wrap?')
  await page.getByLabel('Answer').fill('The keys of the first question')
  await page.getByRole('button', { name: 'Answer' }).click()
  t.match(await page.locator('[role=alert]').textContent(), /waits with another question by now/)
  t.equal((await built.app.inject(`/jobs/${id}`)).json().request.question, 'Should it wrap?')
})

test('a job is cancelled, and started again from a step', { skip }, async t => {
  const built = await buildProject(t, { 'a.py': 'x = 1\ny = 2\n' }, [{ text: edit(10) }, { text: edit(12) }])
  const { id } = (await built.post('/improve', { prompt: 'Ten', project_name: 'shop', select: ['*.py'] })).json()
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${id}`)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.locator('.state.cancelled').waitFor()
  await page.getByLabel('Start again from').selectOption('improve')
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.locator('tr.added code', { hasText: 'x = 12' }).waitFor()
  t.not(page.url(), `${url}/ui/jobs/${id}`, 'it is another job')
})

test('a form that came live is sent once', { skip }, async t => {
  const built = await buildProject(t, { 'a.py': 'x = 1\ny = 2\n' }, [{ text: edit(10) }, { text: edit(12) }])
  const { id } = (await built.post('/improve', { prompt: 'Ten', project_name: 'shop', select: ['*.py'] })).json()
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${id}`)
  await built.app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })
  await page.getByRole('button', { name: 'Start again' }).waitFor()
  await page.evaluate(`document.addEventListener('submit', event => event.preventDefault())`) // it is on its way
  await page.getByRole('button', { name: 'Start again' }).click()
  await page.locator('button:disabled', { hasText: 'Start again' }).waitFor()
})

test('a job whose budget was spent is started again with a higher one', { skip }, async t => {
  const built = await buildProject(t, { 'a.py': 'x = 1\ny = 2\n' }, [
    { text: edit(10).replace('y = 2', 'y = 3') },
    { text: edit(10) },
  ])
  const budget = { tokens: 10, seconds: 600 }
  const body = { prompt: 'Ten', project_name: 'shop', select: ['*.py'], budget }
  const first = (await built.post('/improve', body)).json()
  t.match(await built.reply(first.id, { skip: true }).then(res => res.json()), { status: 'failed' })
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${first.id}`, { javaScriptEnabled: false })
  t.match(await page.locator('main').textContent(), /"Start again" .* with higher limits/)
  t.equal(await page.getByLabel('Tokens').getAttribute('placeholder'), '10')
  for (const [wrong, why] of [
    ['ten', '"ten" for tokens is no whole number above 0.'],
    ['1.5', '"1.5" for tokens is no whole number above 0.'],
    ['-1', '"-1" for tokens is no whole number above 0.'],
    ['9'.repeat(20), 'tokens'],
  ] as const) {
    await page.goto(`${url}/ui/jobs/${first.id}`)
    await page.getByLabel('Tokens').fill(wrong)
    await page.getByRole('button', { name: 'Start again' }).click()
    t.match(await page.locator('main').textContent(), why)
  }
  await page.goto(`${url}/ui/jobs/${first.id}`)
  await page.getByLabel('Tokens').fill('1000000')
  await page.getByRole('button', { name: 'Start again' }).click()
  const id = new URL(page.url()).pathname.replace('/ui/jobs/', '')
  const second = (await built.app.inject(`/jobs/${id}?wait=30`)).json()
  t.match(second, { status: 'waiting', retry_of: first.id, request: { kind: 'review_changes' } })
  t.same(second.budget, { tokens: 1_000_000, seconds: 600 }, 'what is left empty stays')
})

test('a form takes no limit that a route would not take', async t => {
  const built = await buildPageWorld(t)
  const address = await built.begin('budget')
  const visitor = createVisitor(built.app)
  const form = formsOf((await visitor.open(address)).body).find(({ fields }) => fields.get('reply') === 'budget')
  if (form === undefined) throw new Error('There is no form')
  for (const [name, value] of [
    ['tokens', '1e300'],
    ['seconds', 'Infinity'],
    ['usd', '1e9'],
  ] as const) {
    const { statusCode, body } = await visitor.submit(form, { [name]: value })
    t.equal(statusCode, 400, name)
    t.match(body, `budget/${name}`)
  }
  t.equal((await built.app.inject(address.replace('/ui', ''))).json().status, 'waiting')
})

test('a long diff comes in pages, in both views', { skip }, async t => {
  const lines = Array.from({ length: 1_400 }, (_, at) => `+value_${at} = compute(${at}, "text of it")\n`).join('')
  const text = `\`\`\`diff\n--- /dev/null\n+++ b/new.py\n@@ -0,0 +1,1400 @@\n${lines}\`\`\`\n`
  const built = await buildProject(t, { 'a.py': 'x = 1\n' }, [{ text }])
  const { id } = (await built.post('/improve', { prompt: 'More', project_name: 'shop', select: ['*.py'] })).json()
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${id}`)
  const seen: string[] = []
  for (let at = 1; ; at++) {
    seen.push(...(await page.locator('tr.added code').allTextContents()))
    const { body } = await built.app.inject(`/ui/jobs/${id}?page=${at}`)
    t.ok(body.length < 150_000, `${body.length} bytes`)
    const next = page.getByRole('link', { name: 'The next page' })
    if ((await next.count()) === 0) break
    await next.click()
    await page.getByText(`Page ${at + 1} of `).waitFor()
  }
  t.equal(seen.length, 1_400)
  t.equal(new Set(seen).size, 1_400)
  await page.getByRole('link', { name: 'Side by side' }).click()
  await page.locator('table.split').waitFor()
  t.match(page.url(), /view=split&page=\d+#changes$/, 'the other view is of the same page')
  const last = seen.at(-1) ?? ''
  await page.locator('td.added code', { hasText: last }).waitFor()
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.locator('.state.succeeded').waitFor()
  await page.getByText('Page 1 of ').waitFor()
  for (const wrong of ['0', '-1', 'x', '1e9']) {
    t.equal((await built.app.inject(`/ui/jobs/${id}?page=${wrong}`)).statusCode, 400, wrong)
  }
})

test('a page says which hunks were rejected and why, and what looks like a fix of the symptom', async t => {
  const files = { 'a.py': 'x = 1\ny = 2\n', 'user.py': 'def name_of(user):\n    return user.name.title()\n' }
  const gone = '--- a/user.py\n+++ b/user.py\n@@ -1 +1 @@\n-def gone(user):\n+def there(user):\n'
  const half = `${edit(10).slice(0, -4)}${gone}\`\`\`\n`
  const hiding =
    '```diff\n--- a/user.py\n+++ b/user.py\n@@ -1,2 +1,4 @@\n def name_of(user):\n+    if user is None:\n' +
    '+        return None\n     return user.name.title()\n```\n'
  const built = await buildProject(t, files, [{ text: half }, { text: hiding }])
  const improve = { prompt: 'Ten', project_name: 'shop', select: ['*.py'], allow_partial: true, max_refinements: 0 }
  const stacktrace =
    'Traceback (most recent call last):\n  File "/srv/app/user.py", line 2, in name_of\n' +
    "    return user.name.title()\nAttributeError: 'NoneType' object has no attribute 'name'"
  const shown = async (path: string, body: object): Promise<string> => {
    const job = (await built.post(path, body)).json()
    t.equal(job.status, 'waiting', JSON.stringify(job))
    return (await built.app.inject(`/ui/jobs/${job.id}`)).body
  }
  t.match(await shown('/improve', improve), /user\.py: not_found/)
  const page = await shown('/fix', { stacktrace, project_name: 'shop' })
  t.match(page, /It may only hide the failure \(1 place\)/)
  t.match(page, 'user.py:2')
})
