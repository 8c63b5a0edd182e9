import { test, type Test } from 'tap'
import { eventually } from '../helpers/processes.ts'
import { buildProject, type ProjectWithModel } from '../helpers/project-with-model.ts'

const AVERAGE = 'def average(items):\n    total = sum(items)\n    return total / len(items)\n'
const FILES = { 'shop/prices.py': AVERAGE, 'README.md': 'Prices.\n' }
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/prices.py", line 3, in average\n' +
  '    return total / len(items)\nZeroDivisionError: division by zero'

/** A project whose function was changed and mended since its first commit. */
async function buildMended(t: Test): Promise<ProjectWithModel & { first: string; ids: string[] }> {
  const built = await buildProject(t, FILES, [])
  const first = built.commit
  const guarded = AVERAGE.replace('    total', '    assert items\n    total')
  const { repository, app } = built
  const ids = [
    repository.commit({ 'shop/prices.py': guarded }, { message: 'Refuse nothing' }),
    repository.commit({ 'README.md': 'All prices.\n' }, { message: 'Write words' }),
    repository.commit(
      { 'shop/prices.py': guarded.replace('total / len(items)', 'total / max(1, len(items))') },
      { message: 'Mend the mean' },
    ),
  ]
  const body = { url: repository.dir, project_name: 'shop' }
  const { id } = (await app.inject({ method: 'POST', url: '/clone', body })).json()
  t.match((await app.inject(`/jobs/${id}?wait=60`)).json(), { status: 'succeeded' })
  await built.services.idle() // the history is there
  return { ...built, first, ids }
}

test('an answer at an earlier commit says which later ones changed the failing code', async t => {
  const { app, first, ids } = await buildMended(t)
  const resolve = async (options: object, headers = {}) =>
    app.inject({
      method: 'POST',
      url: '/resolve',
      headers,
      body: { project_name: 'shop', stacktrace: TRACE, mode: 'context', ...options },
    })
  // on a busy machine an answer does not wait for git, and git may need more time than it has
  const isKnown = async () => (await resolve({ ref: first })).json().suspects_status === 'ok'
  t.ok(await eventually(isKnown))
  const then = (await resolve({ ref: first })).json()
  t.match(then, {
    suspects_status: 'ok',
    changed_since: [
      { commit: ids[2], date: /^\d{4}-.*Z$/, summary: 'Mend the mean', path: 'shop/prices.py', lines: [3] },
      { commit: ids[0], summary: 'Refuse nothing', lines: [2] },
    ],
    failing_line_gone: true,
  })
  t.equal(then.changed_since.length, 2)

  const text = (await resolve({ ref: first, locale: 'fr' }, { accept: 'text/plain' })).body
  t.match(
    text,
    /Already fixed\? The failing line is not there any more in the indexed code\.\n.*Mend the mean +shop\/prices\.py:3\n/,
  )
  const markdown = (await resolve({ ref: first, locale: 'de' }, { accept: 'text/markdown' })).body
  t.match(
    markdown,
    /### Already fixed\?\n\n.*not there any more.*\n\n- `\w+` \S+ Mend the mean \(`shop\/prices.py:3`\)/,
  )
  const kept = async () => (await app.inject(`/resolutions/${then.id}`)).json()
  t.ok(await eventually(async () => (await kept()).changed_since !== undefined), 'they are kept with the answer')
  t.match(await kept(), { changed_since: [{ commit: ids[2] }, {}], failing_line_gone: true })

  const now = (await resolve({ detail: 'full' })).json()
  t.notOk('changed_since' in now || 'failing_line_gone' in now, 'at the indexed commit there is nothing later')
})

test('a job about an earlier commit says so, too', async t => {
  const { app, first } = await buildMended(t)
  const { id } = (
    await app.inject({
      method: 'POST',
      url: '/resolve',
      headers: { prefer: 'respond-async' },
      body: { project_name: 'shop', stacktrace: TRACE, mode: 'context', ref: first },
    })
  ).json()
  t.match((await app.inject(`/jobs/${id}?wait=60`)).json(), {
    status: 'succeeded',
    result: [{ changed_since: [{ summary: 'Mend the mean' }, {}], failing_line_gone: true }],
  })
})
