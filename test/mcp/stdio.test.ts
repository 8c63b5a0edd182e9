import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'tap'
import { buildApp, listen } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { createCli } from '../helpers/run-cli.ts'
import { createShop, SHOP_TRACE } from '../helpers/sample-repository.ts'
import { testFolder } from '../helpers/test-folder.ts'
import { connectStdio, textOf, VERSIONS, type Version } from './mcp-client.ts'

const CALL = { name: 'resolve_stack_trace', arguments: { project_name: 'shop', stacktrace: SHOP_TRACE } }

for (const version of Object.keys(VERSIONS) as Version[]) {
  test(`faultline mcp passes a client of ${version} on to a server`, async t => {
    const built = await buildApp(t)
    await cloneShop(t, built)
    const url = await listen(t, built)
    const client = await connectStdio(t, { args: ['--server', url], home: built.root, version })
    t.equal(client.getNegotiatedProtocolVersion(), version)
    const answer = await client.callTool(CALL)
    t.notOk(answer.isError, textOf(answer))
    t.match(textOf(answer), /src\/shop\/prices\.py/)
    const failed = await client.callTool({ ...CALL, arguments: { ...CALL.arguments, project_name: 'näbuló' } })
    t.equal(failed.isError, true)
  })
}

test('faultline mcp works in its own process, and beside a second one of the same folders', async t => {
  const home = testFolder(t)
  const shop = createShop(join(home, 'shop.git'))
  const folders = ['--data-dir', join(home, 'data')]
  const cloned = await createCli(home).run(['clone', shop.dir, ...folders])
  t.equal(cloned.exitCode, 0, cloned.stderr)
  const client = await connectStdio(t, { args: folders, home })
  t.match(textOf(await client.callTool(CALL)), /src\/shop\/prices\.py/)
  const second = await connectStdio(t, { args: folders, home })
  t.match(textOf(await second.callTool(CALL)), /src\/shop\/prices\.py/, 'it reads beside the first one')
  const clone = { name: 'clone_repository', arguments: { url: shop.dir, project_name: 'again' } }
  const { tools } = await second.listTools()
  t.notOk(
    tools.some(({ name }) => name === 'clone_repository'),
    'and has no tools that change anything',
  )
  t.ok(tools.some(({ name }) => name === 'get_job'))
  t.match(await client.callTool(clone), { isError: true, structuredContent: { code: 'LOCAL_REPOSITORY_REFUSED' } })
  const third = await connectStdio(t, { args: ['--data-dir', join(home, 'other'), '--repo', shop.dir], home })
  const cloning = await third.callTool(clone)
  t.notOk(cloning.isError, textOf(cloning))
  const { id } = cloning.structuredContent as { id: string }
  const done = await third.callTool({ name: 'get_job', arguments: { id, wait: 30 } })
  t.match(done.structuredContent, { id, project_name: 'again' })
})

test('what is no message, and what no server answers, is an error of the protocol', async t => {
  const home = testFolder(t)
  const lines = ['nothing', '[]', JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} })]
  const { stdout } = await createCli(home).run(['mcp', '--server', 'http://127.0.0.1:9'], { input: lines.join('\n') })
  const answers = stdout
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { id: number | null; error: { code: number; message: string } })
  t.match(answers, [{ error: { code: -32700 } }, { error: { code: -32700 } }, { id: 7, error: { code: -32000 } }])
  t.match(answers[2]?.error.message, /No server answers at http:\/\/127\.0\.0\.1:9/)
})

test('a server that goes away within an answer is said to have gone', async t => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
    response.write('{"jsonrpc"', () => response.destroy())
  })
  t.teardown(() => server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  const input = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list', params: {} })
  const { stdout } = await createCli(testFolder(t)).run(['mcp', '--server', `http://127.0.0.1:${port}`], { input })
  t.match(JSON.parse(stdout), { id: 7, error: { code: -32000, message: /^The server went away within its answer\./ } })
})
