import type { CallToolResult } from '@modelcontextprotocol/client'
import { test } from 'tap'
import { countTokens } from '../../src/tokens/o200k.ts'
import { listen } from '../helpers/build-app.ts'
import { buildProject } from '../helpers/project-with-model.ts'
import { connect, textOf } from './mcp-client.ts'

const LINES = Array.from(
  { length: 600 },
  (_, at) => `    total = average(items) + ${at}  # the average price of a cart`,
)
const PRICES = `def average(items):\n    return sum(items) / len(items)\n\n\ndef many(items):\n${LINES.join('\n')}\n`
const FILES = { 'shop/prices.py': PRICES, 'shop/again.py': PRICES.replace('many', 'again') }
const TRACE =
  'Traceback (most recent call last):\n  File "/srv/app/shop/prices.py", line 300, in many\n    total = average(items)\n' +
  '  File "/srv/app/shop/prices.py", line 2, in average\n    return sum(items) / len(items)\n' +
  'ZeroDivisionError: division by zero'
const MEND =
  'An empty list.\n\n```diff\n--- a/shop/prices.py\n+++ b/shop/prices.py\n@@ -1,2 +1,304 @@\n def average(items):\n' +
  `+    if not items:\n+        return 0\n${LINES.slice(0, 300)
    .map(line => `+${line}`)
    .join('\n')}\n     return sum(items) / len(items)\n\`\`\`\n`
const SHOP = { project_name: 'shop' }

const tokensOf = (answer: object): number =>
  countTokens(JSON.stringify((answer as CallToolResult).structuredContent)) + countTokens(textOf(answer))

test('data and text of an answer are within max_tokens together, and what was cut is said', async t => {
  const built = await buildProject(t, FILES, [{ text: MEND }])
  const url = await listen(t, built)
  const fix = (await built.post('/fix', { ...SHOP, stacktrace: TRACE })).json()
  t.equal(fix.status, 'waiting', JSON.stringify(fix.error))
  const client = await connect(t, url)
  const log = `${TRACE}\n${'WARNING nothing to see here\n'.repeat(2000)}`
  const resolved = await client.callTool({ name: 'resolve_stack_trace', arguments: { ...SHOP, stacktrace: TRACE } })
  const { id } = resolved.structuredContent as { id: string }
  const questions: Array<[string, Record<string, unknown>]> = [
    ['get_job', { id: fix.id }],
    ['resolve_stack_trace', { ...SHOP, stacktrace: log, detail: 'full' }],
    ['get_resolution', { id }],
    ['search_code', { ...SHOP, query: 'average price' }],
    ['read_code', { ...SHOP, path: 'shop/prices.py' }],
    ['find_definition', { ...SHOP, name: 'average' }],
    ['find_references', { ...SHOP, name: 'average', limit: 200 }],
    ['explain_line_history', { ...SHOP, path: 'shop/prices.py', start_line: 1, end_line: 600 }],
  ]
  for (const [name, args] of questions) {
    for (const max of [1_500, 3_000, 10_000]) {
      const answer = await client.callTool({ name, arguments: { ...args, max_tokens: max } })
      t.notOk(answer.isError, textOf(answer))
      const tokens = tokensOf(answer)
      t.ok(tokens <= max, `${name} has ${tokens} of ${max}`)
      const { cut, notice } = answer.structuredContent as { cut?: string | null; notice?: string | null }
      const said = cut ?? notice
      if (typeof said === 'string') t.ok(textOf(answer).includes(said), `${name} says in words too: ${said}`)
    }
  }
  const least = await client.callTool({ name: 'get_job', arguments: { id: fix.id, max_tokens: 1 } })
  t.equal(least.isError, true, 'a limit that field names alone exceed is refused')
})
