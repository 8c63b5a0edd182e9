import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { test } from 'tap'
import { CHILD_ENV } from '../helpers/child-env.ts'
import { listen } from '../helpers/build-app.ts'
import { buildWithModel } from '../helpers/build-with-model.ts'
import { cloneShop, resolveShop } from '../helpers/cloned-shop.ts'
import { SHOP_TRACE } from '../helpers/sample-repository.ts'

/**
 * The program `mcp-inspector`. It takes 110 MB and runs a script as it is installed, so that it is no dependency: `npm
 * install @modelcontextprotocol/inspector` in a folder elsewhere, then MCP_INSPECTOR=…/node_modules/.bin/mcp-inspector.
 */
const INSPECTOR = process.env.MCP_INSPECTOR
const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const run = promisify(execFile)
const wanted = INSPECTOR === undefined ? { skip: 'MCP_INSPECTOR names no inspector' } : {}
const SHOP = { project_name: 'shop' }

/** Something good for every tool. */
const argsFor = ({ resolution, waiting, repository, first }: Record<string, string>) => ({
  list_projects: { limit: 1 },
  resolve_stack_trace: { ...SHOP, stacktrace: SHOP_TRACE, max_tokens: 2000 },
  get_resolution: { id: resolution },
  search_code: { ...SHOP, query: 'average price', limit: 2, offset: 1 },
  read_code: { ...SHOP, path: 'src/shop/prices.py', start_line: 4 },
  find_definition: { ...SHOP, name: 'average', limit: 1 },
  find_references: { ...SHOP, name: 'average', limit: 2, offset: 2 },
  explain_line_history: { ...SHOP, path: 'src/shop/prices.py', start_line: 6 },
  clone_repository: { url: repository, project_name: 'other' },
  fix_error: { ...SHOP, stacktrace: SHOP_TRACE },
  run_task: { ...SHOP, description: 'Round the prices' },
  build_feature: { ...SHOP, request: 'Store characters' },
  generate_program: { prompt: 'A game of snake' },
  bisect: { ...SHOP, command: 'test -e README.md', good: first },
  get_job: { id: waiting },
  reply_to_job: { id: waiting, answer: 'Arrows' },
  cancel_job: { id: waiting },
})

test('the command line of the inspector lists and calls the tools over both transports', wanted, async t => {
  const built = await buildWithModel(t, [])
  built.model.answerBy(() => ({ text: 'Which keys?' }))
  const shop = await cloneShop(t, built)
  const resolution = (await resolveShop(built, {}, { mode: 'context' })).json().id
  const first = shop.git('rev-list', '--max-parents=0', 'HEAD').trim()
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
    const { tools } = (await inspect('--method', 'tools/list', '--strict')) as unknown as {
      tools: Array<{ name: string }>
    }
    const asking = await built.post('/generate', { prompt: 'A game', mode: 'clarified', execute: 'never' })
    const args = argsFor({ resolution, waiting: asking.json().id, repository: shop.dir, first })
    t.same(tools.map(({ name }) => name).sort(), Object.keys(args).sort(), transport)
    for (const [name, given] of Object.entries(args)) {
      const pairs = Object.entries(given).flatMap(([field, value]) => ['--tool-arg', `${field}=${value}`])
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
