import { test } from 'tap'
import { cloneShopFor, startNodes } from '../helpers/cluster.ts'
import { ANY_VERSION, noPostgres, startPostgres } from '../helpers/postgres.ts'
import { projectOf } from '../helpers/project-of.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { connect, textOf } from './mcp-client.ts'

test(
  'a tool works on any node: what it asks goes to the node that keeps the index',
  { skip: noPostgres(ANY_VERSION) },
  async t => {
    const server = await startPostgres()
    t.teardown(() => server.close())
    const project = projectOf('two')
    const from = await cloneShopFor(t, [project])
    const nodes = await startNodes(t, server, { one: { from }, two: { from } })
    for (const node of nodes) {
      const client = await connect(t, node.url)
      for (const [name, args] of Object.entries({
        resolve_stack_trace: { stacktrace: SHOP_TRACE },
        search_code: { query: 'average price' },
        read_code: { path: 'src/shop/prices.py' },
        find_definition: { name: 'average' },
        explain_line_history: { path: 'src/shop/prices.py', start_line: 6 },
      })) {
        const answer = await client.callTool({ name, arguments: { project_name: project, ...args } })
        t.notOk(answer.isError, `${node.name} ${name}: ${textOf(answer)}`)
      }
      const missing = await client.callTool({ name: 'read_code', arguments: { project_name: project, path: 'x.py' } })
      t.match(missing, { isError: true, structuredContent: { code: 'FILE_NOT_FOUND' } })
    }
    const { body } = await (nodes[0]?.app.inject('/metrics') ?? Promise.reject(new Error('no node')))
    t.match(
      body,
      /^faultline_forwarded_requests_total\{result="answered",.*\} 6$/m,
      'all of them were forwarded by the other',
    )
  },
)
