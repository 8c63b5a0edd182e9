import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import type { Test } from 'tap'
import { Check } from 'typebox/value'
import type { ForgeKind } from '../../src/core/forge-kind.ts'
import { BITBUCKET_ROUTES } from './forges/bitbucket-routes.ts'
import type { ForgeRoute, ForgeState, RouteAnswer } from './forges/forge-state.ts'
import { GITEA_ROUTES } from './forges/gitea-routes.ts'
import { GITHUB_ROUTES } from './forges/github-routes.ts'
import { GITLAB_ROUTES } from './forges/gitlab-routes.ts'

const ROUTES: Record<ForgeKind, ForgeRoute[]> = {
  github: GITHUB_ROUTES,
  gitlab: GITLAB_ROUTES,
  gitea: GITEA_ROUTES,
  bitbucket: BITBUCKET_ROUTES,
}
const BASE: Record<ForgeKind, string> = { github: '/api/v3', gitlab: '/api/v4', gitea: '/api/v1', bitbucket: '/2.0' }

/** An answer in place of the API's. */
export interface ScriptedAnswer {
  /** Only to requests whose method and path it fits. */
  to?: RegExp
  status: number
  headers?: Record<string, string>
  body?: unknown
}

export interface ForgeServer {
  kind: ForgeKind
  /** `http://127.0.0.1:PORT`. */
  url: string
  apiUrl: string
  state: ForgeState
  /** Method and path of each request, with its headers. */
  calls: Array<{ call: string; headers: IncomingHttpHeaders; body: unknown }>
  /** Whatever does not fit the published API, in a request or in an answer of this server. */
  violations: string[]
  /** Answers that come before those of the API, each once. */
  script: ScriptedAnswer[]
  /** Requests whose work is done and whose answer is never sent: told of each. */
  swallow: { to: RegExp; onDone: () => void } | null
}

interface Options {
  path?: string
  token?: string
  branches?: readonly string[] | (() => readonly string[])
  tipOf?: ForgeState['tipOf']
  merge?: ForgeState['merge']
}

/** The route of a call with the parts of its path; `*name` takes slashes, too. */
function routeOf(kind: ForgeKind, method: string, path: string) {
  for (const route of ROUTES[kind]) {
    const names: string[] = []
    const pattern = route.path.replace(/[:*](\w+)/g, (whole: string, name: string) => {
      names.push(name)
      return whole.startsWith('*') ? '(.+)' : '([^/]+)'
    })
    const match = route.method === method ? new RegExp(`^${pattern}$`).exec(path) : null
    if (match === null) continue
    const values = match.slice(1).map(decodeURIComponent)
    return { route, params: Object.fromEntries(names.map((name, at) => [name, values[at] ?? ''])) }
  }
  return null
}

/** The repository that a path names. */
function pathIn({ owner, workspace, repo, id }: Record<string, string>, kind: ForgeKind): string | null {
  if (kind === 'gitlab') return id ?? null
  if (repo === undefined) return null
  return `${owner ?? workspace}/${repo}`
}

const isAllowed = ({ headers }: IncomingMessage, token: string): boolean =>
  headers.authorization?.endsWith(` ${token}`) === true ||
  headers.authorization === 'Bearer ghs_of-the-installation' ||
  /^Bearer eyJ/.test(headers.authorization ?? '')

/** A server on loopback that speaks a forge's API as it is published, and tells of what does not fit it. */
export async function startForgeServer(t: Test, kind: ForgeKind, options: Options = {}): Promise<ForgeServer> {
  const { path = 'acme/shop', token = 'the-token', branches = ['main', 'faultline/1'] } = options
  const { tipOf = () => 'c'.repeat(40), merge = () => 'e'.repeat(40) } = options
  const state: ForgeState = {
    path,
    me: 'faultline-bot',
    users: new Map([
      ['faultline-bot', 'bot@example.com'],
      ['ann', 'ann@example.com'],
      ['bob', 'bob@example.com'],
    ]),
    authors: new Map(),
    defaultBranch: 'main',
    branches: typeof branches === 'function' ? branches : () => branches,
    tipOf,
    merge,
    requests: [],
    comments: [],
    checkRuns: [],
    teams: new Set(['core']),
    maxPage: Infinity,
    strangers: new Set(),
    hasDrafts: true,
    pageUrl: '',
  }
  const server: ForgeServer = {
    kind,
    url: '',
    apiUrl: '',
    state,
    calls: [],
    violations: [],
    script: [],
    swallow: null,
  }

  function answerTo(request: IncomingMessage, url: URL, body: Record<string, unknown>): RouteAnswer {
    const { method = '' } = request
    const found = routeOf(kind, method, url.pathname.slice(BASE[kind].length))
    if (found === null) {
      server.violations.push(`${method} ${url.pathname} is no call of this API`)
      return { status: 404, body: {} }
    }
    const { route, params } = found
    const named = pathIn(params, kind)
    if (!isAllowed(request, token)) return { status: 401, body: { message: 'Bad credentials' } }
    if (named !== null && named.toLowerCase() !== path.toLowerCase()) {
      return { status: 404, body: { message: 'Not Found' } }
    }
    for (const name of url.searchParams.keys()) {
      if (route.query?.includes(name) !== true) server.violations.push(`${method} ${route.path} has no query ${name}`)
    }
    if (route.body !== undefined && !Check(route.body, body)) {
      server.violations.push(`${method} ${route.path} was sent ${JSON.stringify(body)}`)
    }
    const answer = route.answer({ state, params, query: url.searchParams, body })
    if (answer.status < 300 && !Check(route.reply, answer.body)) {
      server.violations.push(`${method} ${route.path} would answer ${JSON.stringify(answer.body)}`)
    }
    return answer
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', server.url)
    const isWrite = request.method !== 'GET'
    const body = isWrite ? ((await json(request)) as Record<string, unknown>) : {}
    const call = `${request.method} ${decodeURIComponent(url.pathname.slice(BASE[kind].length))}`
    server.calls.push({ call, headers: request.headers, body: isWrite ? body : null })
    const scripted = server.script.findIndex(({ to }) => to === undefined || to.test(call))
    const [first] = scripted < 0 ? [] : server.script.splice(scripted, 1)
    if (first !== undefined) {
      response.writeHead(first.status, { 'content-type': 'application/json', ...first.headers })
      response.end(JSON.stringify(first.body ?? { message: 'scripted' }))
      return
    }
    const answer = answerTo(request, url, body)
    const swallowed = server.swallow
    if (swallowed?.to.test(call) === true) {
      swallowed.onDone()
      return // the connection stays open until somebody gives up
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  }

  const http = createServer((request, response) => {
    handle(request, response).catch(error => {
      server.violations.push(String(error))
      response.destroy()
    })
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  server.apiUrl = `${server.url}${BASE[kind]}`
  state.pageUrl = server.url
  t.teardown(async () => {
    http.closeAllConnections()
    http.close()
    await once(http, 'close')
  })
  return server
}
