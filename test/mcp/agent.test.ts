import type { Client } from '@modelcontextprotocol/client'
import { test } from 'tap'
import { listen } from '../helpers/build-app.ts'
import { buildProject } from '../helpers/project-with-model.ts'
import { inJail } from '../helpers/sandbox.ts'
import { connect, textOf, VERSIONS, type Version } from './mcp-client.ts'

const FILES = {
  'shop/__init__.py': '',
  'shop/prices.py': 'def average(items):\n    total = sum(items)\n    return total / len(items)\n',
  'shop/report.py': 'from shop.prices import average\n\n\ndef report():\n    return f"mean: {average([])}"\n',
  'test_report.py':
    'import unittest\nfrom shop.report import report\n\n\nclass ReportTest(unittest.TestCase):\n' +
    '    def test_empty(self):\n        self.assertEqual(report(), "mean: 0")\n',
}
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/report.py", line 5, in report\n' +
  '    return f"mean: {average([])}"\n  File "/srv/app/shop/prices.py", line 3, in average\n' +
  '    return total / len(items)\nZeroDivisionError: division by zero'
const MEND =
  'An empty list.\n\n```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,3 +1,5 @@\n' +
  ' def average(items):\n+    if not items:\n+        return 0\n     total = sum(items)\n' +
  '     return total / len(items)\n```\n'
const SHOP = { project_name: 'shop' }

interface Job {
  id: string
  status: string
  request: { kind: string; diff: string; verification: string } | null
  result: { branch: string; verification: string } | null
}

/** One call of an agent, which reads the data of the answer. */
async function call<T>(client: Client, name: string, args: object): Promise<T> {
  const answer = await client.callTool({ name, arguments: { ...args } })
  if (answer.isError === true) throw new Error(textOf(answer))
  return answer.structuredContent as T
}

/** Waits for a job as an agent does: by asking again. */
async function settled(client: Client, id: string): Promise<Job> {
  for (;;) {
    const job = await call<Job>(client, 'get_job', { id, wait: 20 })
    if (!['queued', 'running'].includes(job.status)) return job
  }
}

for (const version of Object.keys(VERSIONS) as Version[]) {
  test(`an agent of ${version} goes from a trace to an approved fix by these tools alone`, inJail, async t => {
    const built = await buildProject(t, FILES, [{ text: MEND }])
    const client = await connect(t, await listen(t, built), { version })
    const projects = await call<{ data: Array<{ project_name: string }> }>(client, 'list_projects', {})
    t.match(projects.data, [SHOP])
    const located = await call<{ sources: Array<{ path: string }> }>(client, 'resolve_stack_trace', {
      ...SHOP,
      stacktrace: TRACE,
    })
    t.equal(located.sources[0]?.path, 'shop/prices.py')
    const { data } = await call<{ data: Array<{ code: string }> }>(client, 'find_definition', {
      ...SHOP,
      name: 'average',
    })
    t.match(data[0]?.code, /total \/ len/)
    const started = await call<Job>(client, 'fix_error', {
      ...SHOP,
      stacktrace: TRACE,
      verify: { command: 'python3 -m unittest -q' },
    })
    t.match(started.status, /queued|running/, 'the id comes at once')
    const asked = await settled(client, started.id)
    t.match(asked, {
      status: 'waiting',
      request: { kind: 'review_changes', diff: /\+ {4}if not items:/, verification: 'verified' },
    })
    const ended = await call<Job>(client, 'reply_to_job', { id: asked.id, decision: 'approve', wait: 30 })
    t.match(ended, { status: 'succeeded', result: { verification: 'verified', branch: `faultline/${asked.id}` } })
    t.match(built.git('show', `${ended.result?.branch}:shop/prices.py`), /if not items:\n {8}return 0/)
  })
}

test('two agents at once, each with a job of its own', async t => {
  const built = await buildProject(t, FILES, [{ text: MEND }, { text: MEND }])
  const url = await listen(t, built)
  const agents = await Promise.all([connect(t, url), connect(t, url, { version: '2025-11-25' })])
  const jobs = await Promise.all(
    agents.map(async (client, at) => {
      const places = await Promise.all(
        ['average', 'report'].map(name => call<{ total: number }>(client, 'find_definition', { ...SHOP, name })),
      )
      t.same(
        places.map(({ total }) => total),
        [1, 1],
      )
      const { id } = await call<Job>(client, 'fix_error', { ...SHOP, stacktrace: TRACE })
      const asked = await settled(client, id)
      t.equal(asked.id, id)
      const decision = at === 0 ? 'approve' : 'reject'
      return await call<Job>(client, 'reply_to_job', { id, decision, wait: 30 })
    }),
  )
  t.match(jobs, [
    { status: 'succeeded', result: { branch: String } },
    { status: 'succeeded', result: { branch: null } },
  ])
})
