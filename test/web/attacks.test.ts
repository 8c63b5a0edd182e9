import { join } from 'node:path'
import { test } from 'tap'
import type { FeatureAttempt } from '../../src/contract/feature.ts'
import { createReport } from '../../src/pipelines/feature/report.ts'
import { buildApp, cloneInto } from '../helpers/build-app.ts'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { buildProject } from '../helpers/project-with-model.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { ATTACKS, madeBy } from '../helpers/markup-attacks.ts'
import { scriptedJob } from '../helpers/scripted-job.ts'

test('what comes from a trace, a repository, a model or a person is text on every page', async t => {
  const all = ATTACKS.join('\n')
  const answer = ATTACKS.map(attack => `## ${attack}\n\n- ${attack}\n`).join('\n')
  const built = await buildWithModel(t, [{ text: answer }])
  const name = 'src/<img src=x onerror=attacked>.py'
  const source = `def fail():\n${ATTACKS.map(attack => `    # ${attack}\n`).join('')}    raise ValueError\n`
  const shop = createGitRepository(join(built.reposDir, 'shop.git'), { files: { [name]: source, 'a.py': source } })
  shop.commit({ 'a.py': `${source}# x\n` }, { message: ATTACKS[0] ?? '' })
  const { result } = await cloneInto(t, built, { url: shop.dir, project_name: 'shop' })
  const line = ATTACKS.length + 2
  const look = async (url: string): Promise<void> => {
    const res = await built.app.inject(url)
    t.equal(res.headers['content-type'], 'text/html; charset=utf-8', url)
    t.same(madeBy(res.body), [], url)
  }
  for (const attack of [...ATTACKS, all]) {
    const trace = `Traceback (most recent call last):\n  File "${name}", line ${line}, in ${attack}\n  File "a.py", line ${line}, in fail\n    ${attack}\nValueError: ${attack}\n`
    const { id } = (await built.post('/resolve', { stacktrace: trace, project_name: 'shop', mode: 'context' })).json()
    await look(`/ui/resolutions/${id}`)
    await look(`/ui/resolutions/${id}/text?as=markdown`)
    await look(`/ui/projects/shop?q=${encodeURIComponent(attack)}`)
    await look(`/ui/jobs?cursor=${encodeURIComponent(attack)}`)
    await look(`/ui/activity?key=${encodeURIComponent(attack)}`)
    if (attack !== all) await look(`/ui/jobs/${encodeURIComponent(attack)}`) // no id is as long
  }
  const trace = `  File "a.py", line ${line}, in fail\nValueError: x\n`
  const answered = (await built.post('/resolve', { stacktrace: trace, project_name: 'shop' })).json()
  t.ok(answered.answer)
  await look(`/ui/resolutions/${answered.id}`)
  await look(`/ui/resolutions/${answered.id}/text?as=prompt`)
  await look(`/ui/projects/shop/files/shop/${result.commit}/${encodeURIComponent(name).replaceAll('%2F', '/')}`)
  await look(`/ui/projects/shop/files/shop/${result.commit}/a.py`)
  await look('/ui')
})

/** The markup of the messages of an event stream, which a page puts into itself. */
const streamed = (body: string): string => body.replaceAll(/^data: ?/gm, '')

test('what comes into a page that is open is text', async t => {
  const code = ATTACKS.map(attack => `+# ${attack}\n`).join('')
  const diff = `--- a/a.py\n+++ b/a.py\n@@ -1 +1,${ATTACKS.length + 1} @@\n x = 1\n${code}`
  const said = [{ text: ATTACKS.join('\n\n') }, { text: `\`\`\`diff\n${diff}\`\`\`\n` }]
  const built = await buildProject(t, { 'a.py': 'x = 1\n' }, said)
  const headers = { accept: 'text/html, text/event-stream', authorization: 'Bearer x' }
  const stacktrace = `  File "a.py", line 1, in fail\nValueError: ${ATTACKS[0]}\n`
  const { id } = (await built.post('/resolve', { stacktrace, project_name: 'shop', mode: 'context' })).json()
  const answer = await built.app.inject({
    method: 'POST',
    url: `/ui/resolutions/${id}/answer`,
    headers,
    body: { _csrf: '' },
  })
  const change = { prompt: 'Change', project_name: 'shop', select: ['*.py'] }
  const job = (await built.post('/improve', change)).json()
  t.match((await built.reply(job.id, { decision: 'approve' })).json(), { status: 'succeeded' })
  const live = await built.app.inject({ url: `/ui/jobs/${job.id}/live`, headers })
  for (const { body, headers: sent } of [answer, live]) {
    t.match(sent['content-type'], 'text/event-stream')
    t.match(body, '&lt;script&gt;')
    t.same(madeBy(streamed(body), 0), [])
  }
  for (const attack of ATTACKS) {
    const url = `/ui/jobs/${encodeURIComponent(attack)}?view=${encodeURIComponent(attack)}`
    const { body } = await built.app.inject({ url, headers: { 'hx-request': 'true' } })
    t.same(madeBy(body, 0), [], 'a part of a page that was refused')
  }
})

test('what a job says, asks and shows is text', async t => {
  const files = { 'a.py': 'x = 1\n' }
  const code = ATTACKS.map(attack => `+# ${attack}\n`).join('')
  const diff = `\`\`\`diff\n--- a/a.py\n+++ b/a.py\n@@ -1 +1,${ATTACKS.length + 1} @@\n x = 1\n${code}\`\`\`\n`
  const built = await buildProject(t, files, [{ text: `${ATTACKS.join('\n\n')}\n\n${diff}` }, { text: diff }])
  const { id } = (
    await built.post('/improve', { prompt: ATTACKS.join('\n'), project_name: 'shop', select: ['*.py'] })
  ).json()
  const pages = [`/ui/jobs/${id}`, `/ui/jobs/${id}?view=split`, `/ui/jobs/${id}/transcript`, '/ui', '/ui/jobs']
  for (const url of pages) {
    const { body } = await built.app.inject(url)
    t.match(body, 'improve')
    t.same(madeBy(body), [], url)
  }
  const settings = {
    path_mappings: ATTACKS.map(attack => ({ from: attack, to: 'src/' })),
    in_app_exclude: ['<b>x</b>'],
  }
  t.equal((await built.app.inject({ method: 'PATCH', url: '/projects/shop', body: settings })).statusCode, 200)
  t.same(madeBy((await built.app.inject('/ui/projects/shop')).body), [])
})

test('what models, reviewers and programs say of attempts is text', async t => {
  const all = ATTACKS.join('\n')
  const check = { name: 'test', status: 'failed', command: all, exitCode: 1, before: 0, reason: all }
  const review = { decision: 'reject', summary: all, issues: [{ severity: 'nit', file: all, line: 1, message: all }] }
  const attempt = {
    number: 1,
    branch: all,
    baseBranch: all,
    baseCommit: all,
    notes: [all],
    commit: null,
    commitMessage: all,
    diff: `--- a/a.py\n+++ b/a.py\n@@ -1 +1 @@\n-x\n${ATTACKS.map(attack => `+${attack}\n`).join('')}`,
    review,
    tests: {
      passed: false,
      lintOutput: all,
      testOutput: all,
      summary: all,
      checks: [check],
      broken: [all],
      guards: [{ kind: 'test_skipped', path: all, line: 1, detail: all }],
    },
    failure: { stage: 'testing', message: all },
  }
  const round = {
    number: 1,
    tasks: [{ instruction: all, files: [all], success: false, filesChanged: [all], errors: [all] }],
    checks: [{ check: 'test', passed: false, command: all, exitCode: 1, output: all }],
    error: all,
  }
  const whole = { mergeCommit: null, pullRequestUrl: null, compareUrl: null, merged: false, diff: '', commit: null }
  const base = { repository: 'shop', branch: all, baseBranch: all, baseCommit: all }
  const { app, services } = await buildApp(t, {
    definitions: {
      task: scriptedJob(async () => ({ ...whole, ...base, taskNumber: 1, testsRan: true, attempts: [attempt] })),
      feature: scriptedJob(async job => {
        const report = createReport(job)
        await report.tell({ ...base, attempts: [round as FeatureAttempt] })
        return report.result
      }),
    },
  })
  for (const type of ['task', 'feature'] as const) {
    const { job } = await services.jobs.create(type, {})
    await services.jobs.settled(job.id, 10_000)
    const pages = type === 'task' ? [`/ui/jobs/${job.id}`, `/ui/jobs/${job.id}/attempts/1`] : [`/ui/jobs/${job.id}`]
    for (const url of pages) {
      const res = await app.inject(url)
      t.equal(res.statusCode, 200, url)
      t.ok(res.body.includes('attacked'), `${url} shows it`)
      t.same(madeBy(res.body), [], url)
    }
  }
})
