import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { test } from 'tap'
import { CHILD_ENV } from '../helpers/child-env.ts'
import { buildApp, listen } from '../helpers/build-app.ts'
import { cloneShop } from '../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

/**
 * The program `mcp-inspector`. It takes 110 MB and runs a script as it is installed, so that it is no dependency: `npm
 * install @modelcontextprotocol/inspector` in a folder elsewhere, then MCP_INSPECTOR=…/node_modules/.bin/mcp-inspector.
 */
const INSPECTOR = process.env.MCP_INSPECTOR
const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const run = promisify(execFile)
const wanted = INSPECTOR === undefined ? { skip: 'MCP_INSPECTOR names no inspector' } : {}
const ARGS = {
  list_projects: {},
  resolve_stack_trace: { project_name: 'shop', stacktrace: SHOP_TRACE, max_tokens: 2000 },
  search_code: { project_name: 'shop', query: 'average price', limit: 2, offset: 1 },
  read_code: { project_name: 'shop', path: 'src/shop/prices.py', start_line: 4 },
  find_definition: { project_name: 'shop', name: 'average' },
  find_references: { project_name: 'shop', name: 'average', limit: 2, offset: 2 },
  explain_line_history: { project_name: 'shop', path: 'src/shop/prices.py', start_line: 6 },
}

test('the command line of the inspector lists and calls the tools over both transports', wanted, async t => {
  const built = await buildApp(t)
  await cloneShop(t, built)
  const url = await listen(t, built)
  const targets = {
    http: [new URL('/mcp', url).href],
    stdio: [process.execPath, CLI, 'mcp', '-e', `FAULTLINE_SERVER=${url}`], // --server is the inspector's own
  }
  for (const [transport, target] of Object.entries(targets)) {
    const inspect = async (...args: string[]): Promise<Record<string, never>> => {
      const argv = [INSPECTOR ?? '', '--cli', ...target, ...args]
      const { stdout } = await run(process.execPath, argv, { env: { ...CHILD_ENV, HOME: built.root }, timeout: 60_000 })
      return JSON.parse(stdout) as Record<string, never>
    }
    const { tools } = (await inspect('--method', 'tools/list', '--strict')) as unknown as { tools: unknown[] }
    t.equal(tools.length, 17, transport)
    for (const [name, args] of Object.entries(ARGS)) {
      const pairs = Object.entries(args).flatMap(([field, value]) => ['--tool-arg', `${field}=${value}`])
      const answer = await inspect('--method', 'tools/call', '--tool-name', name, ...pairs)
      t.match(answer, { content: [{ type: 'text' }], structuredContent: {} }, `${transport} ${name}`)
      t.notMatch(answer, { isError: true })
    }
    t.match(await inspect('--method', 'prompts/list'), { prompts: [{ name: 'explain-trace' }, { name: 'fix-error' }] })
    t.match(await inspect('--method', 'resources/templates/list'), { resourceTemplates: [{ name: 'file' }] })
    const uri = 'faultline://projects/shop/files/README.md'
    t.match(await inspect('--method', 'resources/read', '--uri', uri), { contents: [{ text: /^# Shop/ }] })
  }
})
