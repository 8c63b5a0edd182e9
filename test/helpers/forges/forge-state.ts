import type { TSchema } from 'typebox'

export interface StoredRequest {
  number: number
  title: string
  body: string
  head: string
  base: string
  isDraft: boolean
  isOpen: boolean
  /** The commit by which it was merged. */
  mergeCommit?: string
  /** Of the repository that its branch is in. */
  from: string
  reviewers: string[]
  /** Whether a merge deletes its branch. */
  closesBranch?: boolean
  /** Teams that are asked, by slug. */
  teams?: string[]
}

export interface StoredComment {
  id: number
  number: number
  body: string
  author: string
}

export interface StoredCheckRun {
  id: number
  commit: string
  externalId: string
  conclusion: string
  title: string
  summary: string
  annotations: Array<Record<string, unknown>>
}

/** What a forge of a test holds; a test may change it between calls. */
export interface ForgeState {
  /** `owner/name`. */
  path: string
  /** Whose the token is. */
  me: string
  /** Users by name, with the addresses that they show. */
  users: Map<string, string>
  /** Who wrote a commit, by its id. */
  authors: Map<string, string>
  defaultBranch: string
  branches: () => readonly string[]
  /** What a branch holds. */
  tipOf: (branch: string) => string
  /** Merges a branch into another one; null where that is not possible. */
  merge: (request: { head: string; base: string; message: string }) => string | null
  requests: StoredRequest[]
  comments: StoredComment[]
  checkRuns: StoredCheckRun[]
  /** Slugs of the teams that may review. */
  teams: Set<string>
  /** The most entries of a page, whatever is asked for. */
  maxPage: number
  /** Users that may not review. */
  strangers: Set<string>
  /** Whether the plan of the repository has drafts. */
  hasDrafts: boolean
  pageUrl: string
}

/** What a route is given. */
export interface RouteCall {
  state: ForgeState
  /** Parts of the path that the pattern names. */
  params: Record<string, string>
  query: URLSearchParams
  body: Record<string, unknown>
}

export interface RouteAnswer {
  status: number
  body: unknown
}

/** One call of a published API: what may be sent, and what is answered. */
export interface ForgeRoute {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH'
  /** Its `:names` are parts of the path, encoded. */
  path: string
  /** Parameters of the query that the API has. */
  query?: readonly string[]
  /** Of the body, with no field beyond those that the API has. */
  body?: TSchema
  /** Of an answer of success. */
  reply: TSchema
  answer: (call: RouteCall) => RouteAnswer
}

export const ok = (body: unknown): RouteAnswer => ({ status: 200, body })
export const created = (body: unknown): RouteAnswer => ({ status: 201, body })
export const notFound = (message = 'Not Found'): RouteAnswer => ({ status: 404, body: { message } })

/** The entries of the page that a query asks for. */
export function pageOf<One>(all: readonly One[], query: URLSearchParams, size: string, maxPage = Infinity): One[] {
  const [page, limit] = [Number(query.get('page') ?? 1), Math.min(maxPage, Number(query.get(size) ?? 30))]
  return all.slice((page - 1) * limit, page * limit)
}

/** Merges an open request that shows a commit, and says what became of it. */
export function mergeStored(
  state: ForgeState,
  request: StoredRequest | undefined,
  { commit, message }: { commit?: string; message: string },
): 'missing' | 'not-mergeable' | 'moved' | StoredRequest {
  if (request === undefined) return 'missing'
  if (!request.isOpen || request.isDraft) return 'not-mergeable'
  if (commit !== undefined && commit !== state.tipOf(request.head)) return 'moved'
  const merged = state.merge({ head: request.head, base: request.base, message })
  if (merged === null) return 'not-mergeable'
  Object.assign(request, { isOpen: false, mergeCommit: merged })
  return request
}

/** The next number of a list. */
const nextNumber = (all: ReadonlyArray<{ number: number }>): number =>
  Math.max(0, ...all.map(({ number }) => number)) + 1

/** The open requests of a state, oldest first. */
export const openRequests = ({ requests }: ForgeState): StoredRequest[] => requests.filter(({ isOpen }) => isOpen)

export const requestNumbered = ({ requests }: ForgeState, number: string | undefined): StoredRequest | undefined =>
  requests.find(request => request.number === Number(number))

/** Why a request cannot be opened, as the field that is wrong; null where it can. */
export function openProblem(state: ForgeState, head: string, base: string): 'head' | 'base' | 'exists' | null {
  if (!state.branches().includes(head)) return 'head'
  if (!state.branches().includes(base)) return 'base'
  return openRequests(state).some(request => request.head === head && request.from === state.path) ? 'exists' : null
}

export function addRequest(
  state: ForgeState,
  { title, body, head, base, isDraft }: Record<'title' | 'body' | 'head' | 'base', string> & { isDraft: boolean },
): StoredRequest {
  const request = {
    number: nextNumber(state.requests),
    title,
    body,
    head,
    base,
    isDraft,
    isOpen: true,
    from: state.path,
    reviewers: [],
  }
  state.requests.push(request)
  return request
}

export function addComment(state: ForgeState, number: number, body: string): StoredComment {
  const comment = { id: state.comments.length + 101, number, body, author: state.me }
  state.comments.push(comment)
  return comment
}

/** A user's number, made of its name: those of one test are different. */
export const userId = (name: string): number =>
  [...name].reduce((sum, letter) => (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003, 7) + 1
