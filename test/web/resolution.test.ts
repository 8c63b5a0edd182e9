import { test } from 'tap'
import { cloneInto, listen } from '../helpers/build-app.ts'
import { chromiumPath, startBrowser } from '../helpers/browser.ts'
import { FAR_CAUSE, FAR_TRACE } from '../helpers/far-cause.ts'
import { eventually } from '../helpers/processes.ts'
import { buildProject } from '../helpers/project-with-model.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false
const FILES = { 'a.py': 'def mean(values):\n    return sum(values) / len(values)\n' }
const TRACE =
  '  File "/srv/a.py", line 2, in mean\n    return sum(values) / len(values)\nZeroDivisionError: division by zero\n'
const PATCH = `\`\`\`diff
--- a/a.py
+++ b/a.py
@@ -1,2 +1,2 @@
 def mean(values):
-    return sum(values) / len(values)
+    return sum(values) / len(values) if values else 0
\`\`\`
`
const ANSWER = `## Cause\n\nNo value.\n\n## Fix\n\nGive 0.\n\n${PATCH}`

test('the patch of an answer is a diff that says whether it applies', { skip }, async t => {
  const built = await buildProject(t, FILES, [{ text: ANSWER }])
  const url = await listen(t, built)
  const { id } = (await built.post('/resolve', { project_name: 'shop', stacktrace: TRACE })).json()
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/resolutions/${id}`)
  t.same(await page.locator('#answer tr.added code').allTextContents(), [
    '    return sum(values) / len(values) if values else 0',
  ])
  t.match(await page.locator('#answer').textContent(), 'The patch applies to this commit.')
  t.notMatch(await page.locator('#answer').textContent(), '@@ -1,2 +1,2 @@\n def', 'it is not there twice')
  await page.getByRole('link', { name: 'as Markdown' }).click()
  t.match(await page.getByLabel('The text').inputValue(), /^## `ZeroDivisionError`: division by zero/)
  await page.goBack()
  await page.getByRole('link', { name: 'as a prompt for an agent' }).click()
  t.match(await page.getByLabel('The text').inputValue(), /^Find the cause of the error below[^]*````?\n## `Zero/)
})

test('an error that says a lot is a headline of one line, and whole in its section', async t => {
  const built = await buildProject(t, FILES, [])
  const stacktrace = TRACE.replace('division by zero', 'division '.repeat(400))
  const { id } = (await built.post('/resolve', { project_name: 'shop', stacktrace, mode: 'context' })).json()
  const { body } = await built.app.inject(`/ui/resolutions/${id}`)
  const lengthOf = (tag: string) => new RegExp(`<${tag}>(.*?)</${tag}>`, 's').exec(body)?.[1]?.length ?? 0
  t.ok(lengthOf('title') < 250)
  t.ok(lengthOf('h1') < 250)
  t.match(body, 'division '.repeat(350))
})

test('a patch that is longer than a page takes says that it goes on', async t => {
  const lines = Array.from({ length: 1_600 }, (_, at) => `VALUE_${at} = ${at}\n`)
  const added = lines.map(line => `+${line}`).join('')
  const context = ' def mean(values):\n     return sum(values) / len(values)\n'
  const patch = `\`\`\`diff\n--- a/a.py\n+++ b/a.py\n@@ -1,2 +1,1602 @@\n${added}${context}\`\`\`\n`
  const built = await buildProject(t, FILES, [{ text: patch }])
  const { id } = (await built.post('/resolve', { project_name: 'shop', stacktrace: TRACE })).json()
  t.match((await built.app.inject(`/ui/resolutions/${id}`)).body, 'The patch goes on')
})

test('a fix is asked for with its command, and an answer is judged', { skip }, async t => {
  const built = await buildProject(t, FILES, [{ text: `Give 0.\n\n${PATCH}` }])
  const url = await listen(t, built)
  const body = { project_name: 'shop', stacktrace: TRACE, mode: 'context' }
  const { id } = (await built.post('/resolve', body)).json()
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/resolutions/${id}`)
  await page.getByLabel('The file that really had to change').fill('a.py')
  await page.getByLabel('Comment').fill('As I thought')
  await page.getByRole('button', { name: 'No' }).click()
  await page.getByText('Thank you').waitFor()
  const { data } = (await built.app.inject('/resolutions?with_feedback=true')).json()
  t.match(data[0].feedback, [{ helpful: false, comment: 'As I thought', actual_path: 'a.py' }])
  await page.getByLabel('Command that fails today').fill('python3 -c "import a; a.mean([])"')
  await page.getByRole('button', { name: 'Fix it' }).click()
  await page.getByRole('heading', { name: 'Are these changes right?' }).waitFor()
  const job = page.url().split('/').at(-1) ?? ''
  t.match(await page.locator('tr.added code').first().textContent(), 'if values else 0')
  await page.getByRole('link', { name: 'transcript' }).click()
  const transcript = (await page.locator('main').textContent()) ?? ''
  t.match(transcript, `fix made by nobody with a key`)
  t.match(transcript, /import a; a\.mean\(\[\]\)/)
  t.equal((await built.reply(job, { decision: 'reject' })).json().status, 'succeeded')
})

test('a file that is dropped on the box is its text', { skip }, async t => {
  const built = await buildProject(t, FILES, [])
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui`)
  const files = await page.evaluateHandle(`{
    const dropped = new DataTransfer()
    dropped.items.add(new File([${JSON.stringify(TRACE)}], 'crash.log'))
    dropped
  }`)
  await page.getByLabel('Stack trace or log').dispatchEvent('drop', { dataTransfer: files })
  await page.getByRole('button', { name: 'Find the code' }).click()
  await page.waitForURL(/\/ui\/resolutions\//)
  t.match(await page.title(), 'ZeroDivisionError: division by zero in a.py:2')
})

test('a suspect commit shows what it changed, also without a script', { skip }, async t => {
  const built = await buildProject(t, FILES, [])
  built.repository.commit(
    { 'a.py': 'def mean(values):\n    return sum(values) // len(values)\n' },
    { message: 'Round <i>down</i>' },
  )
  await cloneInto(t, built, { url: built.repository.dir, project_name: 'shop' })
  await built.services.idle()
  const url = await listen(t, built)
  const stacktrace = TRACE.replace(') / len', ') // len')
  const answer = (await built.post('/resolve', { project_name: 'shop', stacktrace, mode: 'context' })).json()
  const found = async () => (await built.app.inject(`/resolutions/${answer.id}`)).json()
  await eventually(async () => (await found()).suspects_status !== 'pending')
  t.match((await found()).suspect_commits, [{ summary: 'Round <i>down</i>' }])
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/resolutions/${answer.id}`)
  await page.getByText('Round <i>down</i>').click()
  await page.locator('.changes tr.removed code').waitFor()
  t.same(await page.locator('.changes tr.removed code').allTextContents(), ['    return sum(values) / len(values)'])
  const still = await open(`${url}/ui/resolutions/${answer.id}`, { javaScriptEnabled: false })
  await still.getByText('Round <i>down</i>').click()
  await still.getByRole('link', { name: 'What it changed' }).click()
  t.same(await still.locator('tr.added code').allTextContents(), ['    return sum(values) // len(values)'])
  await page.getByRole('link', { name: 'a.py:2 in its file' }).first().click()
  t.match(page.url(), new RegExp(`/ui/projects/shop/files/shop/${answer.commit}/a\\.py#L2$`))
  t.match(await page.locator('#L2').locator('xpath=..').textContent(), 'sum(values) // len(values)')
  const groundOf = (id: string) => page.evaluate(`getComputedStyle(document.getElementById('${id}')).backgroundColor`)
  t.not(await groundOf('L2'), await groundOf('L1'), 'the line that the address names stands out')
})

test('a model looks around before it answers, and the page says where, and what is not there', { skip }, async t => {
  const built = await buildProject(t, FAR_CAUSE, [
    { toolCalls: [{ name: 'find_definition', arguments: { name: 'prices_of' } }] },
    { toolCalls: [{ name: 'read_code', arguments: { path: 'store/<b>none</b>.py' } }] },
    { text: '## Cause\n\n`read_shelf` at `store/shelf.py:6`, not `store/nowhere.py:3`.\n' },
  ])
  const url = await listen(t, built)
  const body = { project_name: 'shop', stacktrace: FAR_TRACE, mode: 'context' }
  const { id } = (await built.post('/resolve', body)).json()
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/resolutions/${id}`)
  await page.getByRole('button', { name: 'Investigate' }).click()
  await page.locator('.state.succeeded').waitFor()
  await page.locator('#job-result a').click()
  await page.getByRole('heading', { name: 'Investigation' }).waitFor()
  const main = (await page.locator('main').textContent()) ?? ''
  t.match(main, /find_definition.*"prices_of"/)
  t.match(main, 'store/<b>none</b>.py')
  t.match(main, 'The answer names what is not there')
  t.match(main, 'store/nowhere.py:3')
})
