import { test } from 'tap'
import { ERROR_HELP } from '../../src/core/error-help.ts'
import { adviceOnPages } from '../../src/web/advice.ts'
import { buildApp } from '../helpers/build-app.ts'

/** What no page does. */
const OF_MACHINES = ['UNSUPPORTED_MEDIA_TYPE', 'NOT_SERVED_HERE', 'DATABASE_UNAVAILABLE']

test('advice about routes is in the words of pages', async t => {
  for (const [code, { cure }] of Object.entries(ERROR_HELP)) {
    if (OF_MACHINES.includes(code)) continue
    t.notMatch(adviceOnPages(cure), /\b(?:GET|POST|PATCH|DELETE) \//, code)
  }
  const said: ReadonlyArray<readonly [string, string]> = [
    ['It has ended. POST /jobs/{id}/retry starts it again.', '"Start again" on the page of the job starts it again.'],
    ['Do it, then POST /jobs/{id}/retry with {"from_step": "pull_request"}; x', 'then start the job again from pull_r'],
    ['Wait for it, or end it with POST /jobs/{id}/cancel.', 'end it with "Cancel" on the page of the job.'],
    ['Raise the limit. POST /jobs/{id}/cancel', 'Raise the limit. Cancel the job'],
    ['Set checks.install with PATCH /projects/{name} or in a file.', 'with the settings of the project or in a file.'],
    ['PATCH /projects/{name} {"checks": {"lint": "…"}}, or [checks]', 'The settings of the project, or [checks]'],
    ['POST /clone indexes the newest commit.', 'A clone from the first page indexes the newest commit.'],
    ['exit code 1', 'exit code 1'],
  ]
  for (const [fix, words] of said) t.ok(adviceOnPages(fix).includes(words), `${fix}: ${adviceOnPages(fix)}`)
})

test('the page of an error says where to go on', async t => {
  const { app } = await buildApp(t)
  t.match((await app.inject('/ui/projects/none')).body, 'The first page lists the projects and clones others.')
})
