import { test } from 'tap'
import { adviceOnPages } from '../../src/web/advice.ts'
import { buildApp } from '../helpers/build-app.ts'
import { ROUTE, routeSentences } from '../helpers/route-sentences.ts'

/** Of what no page does, or is there for those who run the server. */
const OF_MACHINES = /GET \/(?:cluster|ready) |POST \/resolve (?:also takes|with dry_run)/

test('advice about routes is in the words of pages', async t => {
  const sentences = routeSentences()
  t.ok(sentences.length > 60, `${sentences.length} sentences were found`)
  for (const sentence of sentences) {
    if (!OF_MACHINES.test(sentence)) t.notMatch(adviceOnPages(sentence), ROUTE, sentence)
  }
  const said: ReadonlyArray<readonly [string, string]> = [
    ['It has ended. POST /jobs/{id}/retry starts it again.', '"Start again" on the page of the job starts it again.'],
    ['Do it, then POST /jobs/{id}/retry with {"from_step": "pull_request"}; x', 'then start the job again from pull_r'],
    ['Wait for it, or end it with POST /jobs/{id}/cancel.', 'end it with "Cancel" on the page of the job.'],
    ['Raise the limit. POST /jobs/{id}/cancel', 'Raise the limit. Cancel the job'],
    [
      'Set checks.install with PATCH /projects/{name} or in a file.',
      'Set checks.install in the settings of the project',
    ],
    ['DELETE /projects/shop, then POST /clone each again.', 'Delete the project, then clone each again.'],
    ['GET /jobs/{id}/patch has the commit.', 'The patch on the page of the job has the commit.'],
    ['Wait for it: GET /jobs?type=clone.', 'Wait for it: the list of jobs shows it.'],
    ['PATCH /projects/{name} {"checks": {"lint": "…"}}, or [checks]', 'The settings of the project, or [checks]'],
    ['POST /clone indexes the newest commit.', 'A clone from the first page indexes the newest commit.'],
    ['"errors" names each field; /docs shows what every route takes.', 'Go back, and change what is named there.'],
    ['search_code finds files by their names, too.', 'The search on the page of the project finds files by'],
    ['Send a start_line from 1 to 4.', 'Give a line from 1 to 4.'],
    ['exit code 1', 'exit code 1'],
  ]
  for (const [fix, words] of said) t.ok(adviceOnPages(fix).includes(words), `${fix}: ${adviceOnPages(fix)}`)
})

test('the page of an error says where to go on', async t => {
  const { app } = await buildApp(t)
  t.match((await app.inject('/ui/projects/none')).body, 'The first page lists the projects and clones others.')
})
