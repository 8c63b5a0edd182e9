import { test } from 'tap'
import { buildApp, listen } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'
import { connect, textOf, VERSIONS, type Version } from './mcp-client.ts'

for (const version of Object.keys(VERSIONS) as Version[]) {
  test(`a client of ${version} lists the tools and resolves a trace`, async t => {
    const built = await buildApp(t)
    await cloneShop(t, built)
    const client = await connect(t, await listen(t, built), { version })
    t.equal(client.getNegotiatedProtocolVersion(), version)
    const { tools } = await client.listTools()
    t.match(
      tools.find(({ name }) => name === 'resolve_stack_trace'),
      { annotations: { readOnlyHint: true }, inputSchema: { type: 'object' }, outputSchema: { type: 'object' } },
    )
    const answer = await client.callTool({
      name: 'resolve_stack_trace',
      arguments: { project_name: 'shop', stacktrace: SHOP_TRACE },
    })
    t.notOk(answer.isError, textOf(answer))
    t.match(answer.structuredContent, {
      project_name: 'shop',
      frames_total: 2,
      sources: [{ path: 'src/shop/prices.py' }],
    })
    t.match(textOf(answer), /src\/shop\/prices\.py/)
    const failed = await client.callTool({
      name: 'resolve_stack_trace',
      arguments: { project_name: 'nothing', stacktrace: SHOP_TRACE },
    })
    t.match(failed, { isError: true, structuredContent: { code: 'PROJECT_NOT_FOUND', fix: /POST \/clone/ } })
  })
}
