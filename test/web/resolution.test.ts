import { test } from 'tap'
import { listen } from '../helpers/build-app.ts'
import { axeFindings, chromiumPath, startBrowser } from '../helpers/browser.ts'
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
  t.same(await axeFindings(page), [])
  await page.getByRole('link', { name: 'as Markdown' }).click()
  t.match(await page.getByLabel('The text').inputValue(), /^## `ZeroDivisionError`: division by zero/)
  t.same(await axeFindings(page), [])
  await page.goBack()
  await page.getByRole('link', { name: 'as a prompt for an agent' }).click()
  t.match(await page.getByLabel('The text').inputValue(), /^Find the cause of the error below[^]*````?\n## `Zero/)
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
  t.same(await axeFindings(page), [])
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
