import { Type } from 'typebox'
import {
  addComment,
  addRequest,
  created,
  mergeStored,
  ok,
  openProblem,
  openRequests,
  pageOf,
  requestNumbered,
  type ForgeRoute,
  type ForgeState,
  type RouteAnswer,
  type StoredComment,
  type StoredRequest,
} from './forge-state.ts'

// The fields of Bitbucket Cloud's OpenAPI document that matter here.
const strict = { additionalProperties: false }
const Text = Type.String()
const User = Type.Object({ type: Text, uuid: Text, display_name: Text, nickname: Text })
const Side = Type.Object({ branch: Type.Object({ name: Text }), repository: Type.Object({ full_name: Text }) })
const Pull = Type.Object({
  type: Text,
  id: Type.Integer(),
  title: Text,
  description: Text,
  state: Text,
  draft: Type.Boolean(),
  close_source_branch: Type.Boolean(),
  links: Type.Object({ html: Type.Object({ href: Text }) }),
  source: Side,
  destination: Side,
  // "the API only includes this list on a pull request's `self` URL"
  reviewers: Type.Optional(Type.Array(User)),
})
const Comment = Type.Object({
  type: Text,
  id: Type.Integer(),
  deleted: Type.Boolean(),
  content: Type.Object({ raw: Text }),
  user: User,
})
const Branch = Type.Object({ branch: Type.Object({ name: Text }, strict) }, strict)
const Reviewers = Type.Optional(Type.Array(Type.Object({ uuid: Text }, strict)))
const pageWith = (one: Parameters<typeof Type.Array>[0]) =>
  Type.Object({
    values: Type.Array(one),
    pagelen: Type.Integer(),
    page: Type.Integer(),
    next: Type.Optional(Text),
  })
const REPO = '/repositories/:workspace/:repo'

const uuid = (name: string): string => `{${name}}`
const nameIn = (id: string): string => id.slice(1, -1)
const user = (name: string) => ({ type: 'user', uuid: uuid(name), display_name: name, nickname: name })
const side = (name: string, fullName: string) => ({ branch: { name }, repository: { full_name: fullName } })
const refused = (message: string, status = 400): RouteAnswer => ({
  status,
  body: { type: 'error', error: { message } },
})

const pullOf = (state: ForgeState, request: StoredRequest) => ({
  type: 'pullrequest',
  id: request.number,
  title: request.title,
  description: request.body,
  state: 'OPEN',
  draft: request.isDraft,
  close_source_branch: request.closesBranch ?? false,
  links: { html: { href: `${state.pageUrl}/${state.path}/pull-requests/${request.number}` } },
  source: side(request.head, request.from),
  destination: side(request.base, state.path),
  reviewers: request.reviewers.map(user),
})
const stateName = ({ isOpen, mergeCommit }: StoredRequest): string => {
  if (isOpen) return 'OPEN'
  return mergeCommit === undefined ? 'DECLINED' : 'MERGED'
}
/** A request as its own page shows it: commits are shortened there. */
const wholeOf = (state: ForgeState, request: StoredRequest) => {
  const pull = pullOf(state, request)
  const { mergeCommit } = request
  return {
    ...pull,
    state: stateName(request),
    source: { ...pull.source, commit: { hash: state.tipOf(request.head).slice(0, 12) } },
    merge_commit: mergeCommit === undefined ? null : { hash: mergeCommit.slice(0, 12) },
  }
}
const commentOf = ({ id, body, author }: StoredComment) => ({
  type: 'pullrequest_comment',
  id,
  deleted: false,
  content: { raw: body },
  user: user(author),
})
/** One page of a list, with the address of the next where there is one. */
function page<One>(
  state: ForgeState,
  all: readonly One[],
  query: URLSearchParams,
  show: (one: One) => object,
): RouteAnswer {
  const [number, values] = [Number(query.get('page') ?? 1), pageOf(all, query, 'pagelen', state.maxPage)]
  const isLast = all.at(-1) === values.at(-1)
  const next = isLast ? {} : { next: `${state.pageUrl}/next?page=${number + 1}` }
  return ok({ values: values.map(show), pagelen: values.length, page: number, ...next })
}
/** A request as lists show it. */
const listed = (state: ForgeState, request: StoredRequest) => {
  const { reviewers: _reviewers, ...shown } = pullOf(state, request)
  return shown
}

export const BITBUCKET_ROUTES: ForgeRoute[] = [
  { method: 'GET', path: '/user', reply: User, answer: ({ state }) => ok(user(state.me)) },
  {
    method: 'GET',
    path: REPO,
    reply: Type.Object({ full_name: Text, mainbranch: Type.Object({ name: Text }) }),
    answer: ({ state }) => ok({ full_name: state.path, mainbranch: { name: state.defaultBranch } }),
  },
  {
    method: 'GET',
    path: `${REPO}/refs/branches/*branch`,
    reply: Type.Object({ name: Text }),
    answer: ({ state, params: { branch = '' } }) =>
      state.branches().includes(branch) ? ok({ name: branch }) : refused('Branch not found', 404),
  },
  {
    method: 'GET',
    path: `${REPO}/commit/:sha`,
    reply: Type.Object({ hash: Text, author: Type.Object({ raw: Text, user: Type.Optional(User) }) }),
    answer({ state, params: { sha = '' } }) {
      const author = state.authors.get(sha)
      return ok({ hash: sha, author: { raw: 'A', ...(author === undefined ? {} : { user: user(author) }) } })
    },
  },
  {
    method: 'GET',
    path: `${REPO}/pullrequests`,
    query: ['state', 'q', 'sort', 'pagelen', 'page'],
    reply: pageWith(Pull),
    answer({ state, query }) {
      const branch = /^source\.branch\.name = "(.*)"$/.exec(String(query.get('q')))?.[1]
      const found = openRequests(state).filter(({ head }) => branch === undefined || head === branch)
      return page(state, found, query, one => listed(state, one))
    },
  },
  {
    method: 'POST',
    path: `${REPO}/pullrequests`,
    body: Type.Object(
      {
        title: Text,
        description: Type.Optional(Text),
        source: Branch,
        destination: Type.Optional(Branch),
        draft: Type.Optional(Type.Boolean()),
        close_source_branch: Type.Optional(Type.Boolean()),
        reviewers: Reviewers,
      },
      strict,
    ),
    reply: Pull,
    answer({ state, body }) {
      const { title, description, source, destination, draft } = body as {
        title: string
        description: string
        source: { branch: { name: string } }
        destination: { branch: { name: string } }
        draft: boolean
      }
      const [head, base] = [source.branch.name, destination.branch.name]
      const problem = openProblem(state, head, base)
      if (problem !== null) return refused(`There is something wrong with the ${problem}`)
      return created(pullOf(state, addRequest(state, { title, body: description, head, base, isDraft: draft })))
    },
  },
  {
    method: 'GET',
    path: `${REPO}/pullrequests/:id`,
    reply: Pull,
    answer({ state, params }) {
      const request = requestNumbered(state, params.id)
      return request === undefined ? refused('Not found', 404) : ok(wholeOf(state, request))
    },
  },
  {
    method: 'POST',
    path: `${REPO}/pullrequests/:id/decline`,
    body: Type.Object({}, strict),
    reply: Pull,
    answer({ state, params }) {
      const request = requestNumbered(state, params.id)
      if (request === undefined) return refused('Not found', 404)
      request.isOpen = false
      return ok(wholeOf(state, request))
    },
  },
  {
    method: 'POST',
    path: `${REPO}/pullrequests/:id/merge`,
    body: Type.Object(
      {
        type: Text,
        message: Type.Optional(Text),
        close_source_branch: Type.Optional(Type.Boolean()),
        merge_strategy: Type.Optional(Type.Enum(['merge_commit', 'squash', 'fast_forward'])),
      },
      strict,
    ),
    reply: Pull,
    answer({ state, params, body }) {
      const merged = mergeStored(state, requestNumbered(state, params.id), { message: String(body.message) })
      if (merged === 'missing') return refused('Not found', 404)
      if (typeof merged === 'string') return refused('You can not merge this pull request')
      return ok(wholeOf(state, merged))
    },
  },
  {
    method: 'PUT',
    path: `${REPO}/pullrequests/:id`,
    body: Type.Object(
      {
        title: Type.Optional(Text),
        description: Type.Optional(Text),
        reviewers: Reviewers,
        draft: Type.Optional(Type.Boolean()),
        close_source_branch: Type.Optional(Type.Boolean()),
      },
      strict,
    ),
    reply: Pull,
    answer({ state, params, body }) {
      const request = requestNumbered(state, params.id)
      if (request === undefined) return refused('Not found', 404)
      const {
        title,
        description = '',
        reviewers = [],
        draft = false,
        close_source_branch: closesBranch = false,
      } = body as {
        title?: string
        description?: string
        reviewers?: Array<{ uuid: string }>
        draft?: boolean
        close_source_branch?: boolean
      }
      if (title === undefined) return refused('title: This field is required.')
      const names = reviewers.map(one => nameIn(one.uuid))
      if (names.some(name => state.strangers.has(name) || name === state.me)) {
        return refused('reviewers: no access')
      }
      // what a body leaves out is emptied
      Object.assign(request, { title, body: description, reviewers: names, isDraft: draft, closesBranch })
      return ok(pullOf(state, request))
    },
  },
  {
    method: 'GET',
    path: `${REPO}/pullrequests/:id/comments`,
    query: ['sort', 'q', 'pagelen', 'page'],
    reply: pageWith(Comment),
    answer({ state, params, query }) {
      const own = state.comments.filter(({ number }) => number === Number(params.id))
      return page(state, own, query, commentOf)
    },
  },
  {
    method: 'POST',
    path: `${REPO}/pullrequests/:id/comments`,
    body: Type.Object({ content: Type.Object({ raw: Text }, strict) }, strict),
    reply: Comment,
    answer({ state, params, body }) {
      const { raw } = body.content as { raw: string }
      return created(commentOf(addComment(state, Number(params.id), raw)))
    },
  },
  {
    method: 'PUT',
    path: `${REPO}/pullrequests/:id/comments/:comment`,
    body: Type.Object({ content: Type.Object({ raw: Text }, strict) }, strict),
    reply: Comment,
    answer({ state, params, body }) {
      const comment = state.comments.find(({ id }) => id === Number(params.comment))
      if (comment === undefined) return refused('Not found', 404)
      if (comment.author !== state.me) return refused('Forbidden', 403)
      comment.body = (body.content as { raw: string }).raw
      return ok(commentOf(comment))
    },
  },
]
