import { join } from 'node:path'
import { test } from 'tap'
import type { Client } from '@modelcontextprotocol/client'
import { listProjects } from '../../src/mcp/tools/projects.ts'
import type { Caller } from '../../src/mcp/caller.ts'
import { buildApp, cloneInto, listen } from '../helpers/build-app.ts'
import { createGitRepository } from '../helpers/git-repository.ts'
import { connect, connectStdio, textOf } from './mcp-client.ts'

const NAMES = ['one', 'two', 'three']
const SOURCE =
  'def average(items):\n    return sum(items) / len(items)\n\n\nclass Cart:\n    def average(self):\n' +
  `${'        self.count += 1\n'.repeat(400)}        return average(self.items)\n`

type Args = Record<string, unknown>
interface Answer {
  data?: unknown[]
  next_offset?: number | null
  next_cursor?: string | null
  next_line?: number | null
  start_line?: number
  end_line?: number
}

/** What goes on from an answer; null after the last page. */
function nextOf({ next_offset: offset, next_cursor: cursor, next_line: line }: Answer): Args | null {
  if (offset !== undefined && offset !== null) return { offset }
  if (cursor !== undefined && cursor !== null) return { cursor }
  return line === undefined || line === null ? null : { start_line: line }
}

/** All pages of a tool, one after the other. */
async function pagesOf(client: Client, name: string, args: Args): Promise<Answer[]> {
  const pages: Answer[] = []
  for (let next: Args | null = {}; next !== null && pages.length < 50; next = nextOf(pages.at(-1) ?? {})) {
    const answer = await client.callTool({ name, arguments: { ...args, ...next } })
    if (answer.isError === true) throw new Error(`${name}: ${textOf(answer)}`)
    pages.push(answer.structuredContent as Answer)
  }
  return pages
}

test('every tool that has pages is paged through to its end, over HTTP and over stdio', async t => {
  const built = await buildApp(t)
  const repository = createGitRepository(join(built.reposDir, 'shop.git'), { files: { 'cart.py': SOURCE } })
  for (const step of [1, 2]) {
    repository.commit({ 'cart.py': SOURCE.replace('+= 1', `+= ${step}`) }, { message: `${step}` })
  }
  for (const name of NAMES) await cloneInto(t, built, { url: repository.dir, project_name: name })
  await built.services.idle()
  const url = await listen(t, built)
  const clients = {
    http: await connect(t, url),
    stdio: await connectStdio(t, { args: ['--server', url], home: built.root }),
  }
  const project = { project_name: 'one' }
  const tools: ReadonlyArray<[name: string, args: Args, pages: number]> = [
    ['list_projects', { limit: 1 }, NAMES.length],
    ['search_code', { ...project, query: 'average', limit: 1 }, 2],
    ['find_definition', { ...project, name: 'average', limit: 1 }, 2],
    ['find_references', { ...project, name: 'average', limit: 1 }, 3],
    ['explain_line_history', { ...project, path: 'cart.py', start_line: 7, limit: 1 }, 2],
    ['read_code', { ...project, path: 'cart.py', max_tokens: 1_500 }, 2],
  ]
  for (const [way, client] of Object.entries(clients)) {
    for (const [name, args, least] of tools) {
      const pages = await pagesOf(client, name, args)
      t.ok(pages.length >= least && pages.length < 50, `${way} ${name}: ${pages.length} pages`)
      const items = pages.flatMap(({ data = [] }) => data.map(item => JSON.stringify(item)))
      t.equal(new Set(items).size, items.length, `${way} ${name}: nothing comes twice`)
      if (name !== 'read_code') continue
      const starts = pages.map(({ start_line: start }) => start)
      const ends = pages.map(({ end_line: end = 0 }) => end + 1)
      t.same(starts, [1, ...ends.slice(0, -1)], `${way}: each page goes on where the one before ended`)
    }
  }
})

test('projects that have no room on a page are on the next one', async t => {
  const all = Array.from({ length: 60 }, (_, at) => ({
    project_name: `shop-${at}`,
    index_state: 'ready',
    problem: { code: 'X', detail: 'long '.repeat(at === 7 ? 5_000 : 300), fix: '' },
    repositories: [],
    files_indexed: 1,
    languages: {},
  }))
  const caller = {
    mayWrite: false,
    signal: new AbortController().signal,
    cutToTokens: async (text: string, most: number) => ({
      text: text.slice(0, most),
      tokens: Math.min(text.length, most),
    }),
    ask: async ({ path }: { path: string }) => {
      const query = new URL(path, 'http://x').searchParams
      const from = Number(query.get('cursor') ?? 0)
      const to = from + Number(query.get('limit'))
      return { data: all.slice(from, to), next_cursor: to < all.length ? String(to) : null }
    },
  } as unknown as Caller
  const seen: string[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const args = { limit: 20, ...(cursor === undefined ? {} : { cursor }) }
    const { data } = (await listProjects.run(args, caller)) as unknown as {
      data: { data: Array<{ project_name: string }>; next_cursor: string | null }
    }
    seen.push(...data.data.map(({ project_name: name }) => name))
    cursor = data.next_cursor
  }
  t.same(
    seen,
    all.map(({ project_name: name }) => name),
  )
})
