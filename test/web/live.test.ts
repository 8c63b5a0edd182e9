import { test } from 'tap'
import { listen } from '../helpers/build-app.ts'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { chromiumPath, startBrowser } from '../helpers/browser.ts'

const skip = chromiumPath() === null ? 'there is no Chromium (apt-get install chromium)' : false
const LOG = `document.querySelector('.log')`
const HIDDEN_BELOW = `${LOG}.scrollHeight - ${LOG}.clientHeight - ${LOG}.scrollTop`

test('the title of a job says how it stands now, and its log shows its end while it grows', { skip }, async t => {
  const rest = Promise.withResolvers<void>()
  const questions = Array.from({ length: 300 }, (_, at) => `Line ${at} of the question`).join('\n')
  const built = await buildWithModel(t, [{ text: questions, slowTokensUntil: rest.promise }])
  const body = { prompt: 'Create a snake game', mode: 'clarified', execute: 'never' }
  const { id } = (await built.app.inject({ method: 'POST', url: '/generate', body })).json()
  const url = await listen(t, built)
  const { open } = await startBrowser(t)
  const page = await open(`${url}/ui/jobs/${id}`, { viewport: { width: 320, height: 600 } })
  await page.locator('.state.running').waitFor()
  t.equal(await page.title(), 'generate: running · Faultline')
  rest.resolve()
  await page.getByRole('button', { name: 'Skip' }).waitFor()
  t.equal(await page.title(), 'generate: waiting · Faultline')
  t.ok(Number(await page.evaluate(`${LOG}.scrollTop`)) > 0, 'the log is longer than its place')
  t.ok(Number(await page.evaluate(HIDDEN_BELOW)) < 2)
  await page.evaluate(`${LOG}.scrollTop = 7`)
  await built.app.inject({ method: 'POST', url: `/jobs/${id}/cancel` })
  await page.locator('.state.cancelled').waitFor()
  t.equal(await page.title(), 'generate: cancelled · Faultline')
  t.equal(await page.evaluate(`${LOG}.scrollTop`), 7, 'what somebody reads stays')
})
