import { test } from 'tap'
import type { FeatureAttempt } from '../../src/contract/feature.ts'
import { createReport } from '../../src/pipelines/feature/report.ts'
import { buildApp, listen } from '../helpers/build-app.ts'
import { axeFindings, chromiumPath, startBrowser } from '../helpers/browser.ts'
import { buildProject } from '../helpers/project-with-model.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'
import { BROKEN, DESCRIPTION, mend, NODE_FILES, reviewed } from '../helpers/task-project.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false

test('a page shows why each attempt at a task was sent back, and what it changed', { skip }, async t => {
  const built = await buildProject(t, NODE_FILES, [
    mend(BROKEN),
    reviewed('reject', 'Divides by one more.'),
    mend(),
    reviewed('approve'),
  ])
  const { id } = (await built.post('/tasks', { description: DESCRIPTION, project_name: 'shop' })).json()
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${id}`)
  await page.locator('.state.succeeded').first().waitFor()
  const attempts = page.locator('[id^=job-attempt-]:not(:empty)')
  t.match(await attempts.locator('h3').allTextContents(), ['Attempt 1 reviewing', 'Attempt 2 passed'])
  t.match(await attempts.first().textContent(), /reject: A bug\..*critical.*Divides by one more\. \(src\/mean\.js:2\)/s)
  t.match(await attempts.last().getByRole('row', { name: 'test' }).textContent(), /passed/)
  await attempts.first().getByText('What it changed').click()
  await attempts.first().locator('tr.added code', { hasText: '(list.length + 1)' }).waitFor()
  t.same(await axeFindings(page), [])
  t.notMatch(await page.locator('#job-steps').textContent(), /not finished/, 'a stage ends with the next one')
  const steps = await page.getByLabel('Start again from').locator('option').allTextContents()
  t.ok(steps.includes('coder:1'))
  t.notOk(steps.includes('coding'), 'nothing starts from a stage')
  const alone = await open(`${url}/ui/jobs/${id}/attempts/1`, { javaScriptEnabled: false })
  t.same(await axeFindings(await open(`${url}/ui/jobs/${id}/attempts/1`)), [])
  t.match(await alone.locator('tr.added code').allTextContents(), [/list\.length \+ 1/])
  t.equal((await built.app.inject(`/ui/jobs/${id}/attempts/3`)).statusCode, 404)
})

const ATTEMPT: FeatureAttempt = {
  number: 1,
  tasks: [{ instruction: 'Fill in the table', files: [], success: true, filesChanged: ['a.ts'], errors: [] }],
  checks: [{ check: 'test', passed: false, command: 'npm test', exitCode: 1, output: '' }],
  error: 'One test fails.',
}

test('a page shows the attempts of a feature while it goes on', { skip }, async t => {
  const definitions = {
    feature: scriptedJob(async job => {
      const report = createReport(job)
      await report.tell({ attempts: [ATTEMPT] })
      await job.ask('q', { kind: 'clarification', question: 'Which table?' })
      return report.result
    }),
  }
  const built = await buildApp(t, { definitions })
  const { job } = await built.services.jobs.create('feature', {})
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${job.id}`)
  await page.getByRole('heading', { name: 'Which table?' }).waitFor()
  const text = await page.locator('[id^=job-attempt-]:not(:empty)').textContent()
  t.match(text, /Attempt 1 sent back\s+One test fails\.\s+done Fill in the table\na\.ts/)
  t.match(text, /test\s*failed: exit code 1\s*npm test/)
  t.same(await axeFindings(page), [])
})

test('what is open in an attempt stays open when the next one comes', { skip }, async t => {
  const attempt = (number: number) => ({
    number,
    branch: `ai/task-1-attempt-${number}`,
    baseBranch: 'main',
    baseCommit: 'a'.repeat(40),
    notes: [],
    commit: null,
    commitMessage: null,
    diff: '--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n',
    review: null,
    tests: null,
    failure: { stage: 'coding', message: `No ${number}.` },
  })
  const definitions = {
    task: scriptedJob(async ({ setResult, ask }) => {
      const result = { taskNumber: 1, repository: 'shop', branch: null, baseBranch: null, baseCommit: null, diff: '' }
      const whole = { ...result, commit: null, merged: false, mergeCommit: null, testsRan: false }
      const more = { pullRequestUrl: null, compareUrl: null }
      await ask('start', { kind: 'clarification', question: 'Begin?' })
      await setResult({ ...whole, ...more, attempts: [attempt(1)] })
      await ask('first', { kind: 'clarification', question: 'Go on?' })
      await setResult({ ...whole, ...more, attempts: [attempt(1), attempt(2)] })
      await ask('second', { kind: 'clarification', question: 'And on?' })
      return { ...whole, ...more, attempts: [] }
    }),
  }
  const built = await buildApp(t, { definitions })
  const { job } = await built.services.jobs.create('task', {})
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${job.id}`)
  await built.services.jobs.reply(job.id, { answer: 'Yes' }, null, 'req_w')
  await page.getByRole('heading', { name: 'Go on?' }).waitFor() // so the stream has begun
  const first = page.locator('#job-attempt-1')
  await first.getByText('What it changed').click()
  await first.locator('tr.added').waitFor()
  await built.services.jobs.reply(job.id, { answer: 'Yes' }, null, 'req_x')
  await page.getByRole('heading', { name: 'Attempt 2' }).waitFor()
  t.equal(await first.locator('details').evaluate(one => one.hasAttribute('open')), true)
  t.equal(await first.locator('tr.added').count(), 1)
})
