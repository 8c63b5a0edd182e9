import { Type } from 'typebox'
import {
  addComment,
  addRequest,
  created,
  mergeStored,
  notFound,
  ok,
  openProblem,
  openRequests,
  pageOf,
  requestNumbered,
  userId,
  type ForgeRoute,
  type ForgeState,
  type StoredComment,
  type StoredRequest,
} from './forge-state.ts'

// The fields of GitLab's OpenAPI document, version 4, that matter here.
const strict = { additionalProperties: false }
const Text = Type.String()
const MaybeText = Type.Optional(Text)
const User = Type.Object({ id: Type.Integer(), username: Text, name: Text, state: Text })
const MergeRequest = Type.Object({
  id: Type.Integer(),
  iid: Type.Integer(),
  project_id: Type.Integer(),
  web_url: Text,
  title: Text,
  description: Type.Union([Text, Type.Null()]),
  state: Text,
  draft: Type.Boolean(),
  source_branch: Text,
  target_branch: Text,
  source_project_id: Type.Integer(),
  target_project_id: Type.Integer(),
  reviewers: Type.Array(User),
})
const Note = Type.Object({ id: Type.Integer(), body: Text, system: Type.Boolean(), author: User })
const PROJECT = '/projects/:id'
const PROJECT_ID = 3

const user = (name: string) => ({ id: userId(name), username: name, name, state: 'active' })

const requestOf = (state: ForgeState, request: StoredRequest) => ({
  id: request.number + 1000,
  iid: request.number,
  project_id: PROJECT_ID,
  web_url: `${state.pageUrl}/${state.path}/-/merge_requests/${request.number}`,
  title: request.title,
  description: request.body,
  state: 'opened',
  draft: request.title.startsWith('Draft: '),
  source_branch: request.head,
  target_branch: request.base,
  source_project_id: request.from === state.path ? PROJECT_ID : 99,
  target_project_id: PROJECT_ID,
  reviewers: request.reviewers.map(user),
})
const State = Type.Object({
  state: Type.Enum(['opened', 'closed', 'locked', 'merged']),
  title: Text,
  draft: Type.Boolean(),
  sha: Text,
  merge_commit_sha: Type.Union([Text, Type.Null()]),
  squash_commit_sha: Type.Union([Text, Type.Null()]),
})
const openness = ({ isOpen, mergeCommit }: StoredRequest): string => {
  if (isOpen) return 'opened'
  return mergeCommit === undefined ? 'closed' : 'merged'
}
const stateOf = (state: ForgeState, request: StoredRequest) => ({
  ...requestOf(state, request),
  state: openness(request),
  sha: state.tipOf(request.head),
  merge_commit_sha: request.mergeCommit ?? null,
  squash_commit_sha: null,
})
const noteOf = ({ id, body, author }: StoredComment) => ({ id, body, system: false, author: user(author) })

export const GITLAB_ROUTES: ForgeRoute[] = [
  { method: 'GET', path: '/user', reply: User, answer: ({ state }) => ok(user(state.me)) },
  {
    method: 'GET',
    path: '/users',
    query: ['username', 'search', 'per_page', 'page'],
    reply: Type.Array(User),
    answer({ state, query }) {
      const [name, search] = [query.get('username'), query.get('search')]
      return ok([...state.users].flatMap(([one, mail]) => (one === name || mail === search ? [user(one)] : [])))
    },
  },
  {
    method: 'GET',
    path: PROJECT,
    reply: Type.Object({ id: Type.Integer(), path_with_namespace: Text, default_branch: Text }),
    answer: ({ state }) => ok({ id: PROJECT_ID, path_with_namespace: state.path, default_branch: state.defaultBranch }),
  },
  {
    method: 'GET',
    path: `${PROJECT}/repository/branches/:branch`,
    reply: Type.Object({ name: Text }),
    answer: ({ state, params: { branch = '' } }) =>
      state.branches().includes(branch) ? ok({ name: branch }) : notFound('404 Branch Not Found'),
  },
  {
    method: 'GET',
    path: `${PROJECT}/repository/commits/:sha`,
    reply: Type.Object({ id: Text, author_name: Text, author_email: Text }),
    answer({ state, params: { sha = '' } }) {
      const author = state.authors.get(sha) ?? 'nobody'
      return ok({ id: sha, author_name: author, author_email: state.users.get(author) ?? 'nobody@example.com' })
    },
  },
  {
    method: 'GET',
    path: `${PROJECT}/merge_requests`,
    query: ['state', 'source_branch', 'target_branch', 'search', 'in', 'order_by', 'sort', 'per_page', 'page'],
    reply: Type.Array(MergeRequest),
    answer({ state, query }) {
      const [branch, search] = [query.get('source_branch'), query.get('search')]
      const found = openRequests(state).filter(
        ({ head, body }) => (branch === null || head === branch) && (search === null || body.includes(search)),
      )
      return ok(pageOf(found, query, 'per_page').map(one => requestOf(state, one)))
    },
  },
  {
    method: 'POST',
    path: `${PROJECT}/merge_requests`,
    body: Type.Object(
      {
        title: Text,
        source_branch: Text,
        target_branch: Text,
        target_project_id: Type.Optional(Type.Integer()),
        assignee_ids: Type.Optional(Type.Array(Type.Integer())),
        reviewer_ids: Type.Optional(Type.Array(Type.Integer())),
        description: MaybeText,
        labels: MaybeText,
        remove_source_branch: Type.Optional(Type.Boolean()),
        squash: Type.Optional(Type.Boolean()),
        allow_collaboration: Type.Optional(Type.Boolean()),
      },
      strict,
    ),
    reply: MergeRequest,
    answer({ state, body }) {
      const {
        title = '',
        source_branch: head = '',
        target_branch: base = '',
        description = '',
      } = body as Record<string, string>
      const problem = openProblem(state, head, base)
      if (problem === 'exists') {
        const message = ['Another open merge request already exists for this source branch: !1']
        return { status: 409, body: { message } }
      }
      if (problem !== null) {
        const field = problem === 'head' ? 'Source' : 'Target'
        const message = { base: [`${field} branch "${problem === 'head' ? head : base}" does not exist`] }
        return { status: 422, body: { message } }
      }
      const isDraft = title.startsWith('Draft: ')
      return created(requestOf(state, addRequest(state, { title, body: description, head, base, isDraft })))
    },
  },
  {
    method: 'PUT',
    path: `${PROJECT}/merge_requests/:iid`,
    body: Type.Object(
      {
        title: MaybeText,
        description: MaybeText,
        target_branch: MaybeText,
        state_event: Type.Optional(Type.Enum(['close', 'reopen'])),
        reviewer_ids: Type.Optional(Type.Array(Type.Integer())),
      },
      strict,
    ),
    reply: MergeRequest,
    answer({ state, params, body }) {
      const request = requestNumbered(state, params.iid)
      if (request === undefined) return notFound()
      const {
        title,
        description,
        reviewer_ids: ids,
        state_event: event,
      } = body as {
        state_event?: string
        title?: string
        description?: string
        reviewer_ids?: number[]
      }
      request.title = title ?? request.title
      request.isDraft = request.title.startsWith('Draft: ')
      if (event !== undefined) request.isOpen = event === 'reopen'
      request.body = description ?? request.body
      const taken = [...state.users.keys()].filter(name => ids?.includes(userId(name)) && !state.strangers.has(name))
      if (ids !== undefined) request.reviewers = taken
      return ok(requestOf(state, request))
    },
  },
  {
    method: 'GET',
    path: `${PROJECT}/merge_requests/:iid`,
    reply: State,
    answer({ state, params }) {
      const request = requestNumbered(state, params.iid)
      return request === undefined ? notFound() : ok(stateOf(state, request))
    },
  },
  {
    method: 'PUT',
    path: `${PROJECT}/merge_requests/:iid/merge`,
    body: Type.Object(
      {
        merge_commit_message: MaybeText,
        squash_commit_message: MaybeText,
        squash: Type.Optional(Type.Boolean()),
        should_remove_source_branch: Type.Optional(Type.Boolean()),
        merge_when_pipeline_succeeds: Type.Optional(Type.Boolean()),
        sha: MaybeText,
      },
      strict,
    ),
    reply: State,
    answer({ state, params, body }) {
      const { sha, merge_commit_message: message = '' } = body as Record<string, string>
      const request = requestNumbered(state, params.iid)
      const merged = mergeStored(state, request, { commit: sha, message })
      if (merged === 'missing') return notFound()
      if (merged === 'not-mergeable') return { status: 405, body: { message: '405 Method Not Allowed' } }
      if (merged === 'moved') {
        return { status: 409, body: { message: 'SHA does not match HEAD of source branch' } }
      }
      return ok(stateOf(state, merged))
    },
  },
  {
    method: 'GET',
    path: `${PROJECT}/merge_requests/:iid/notes`,
    query: ['sort', 'order_by', 'per_page', 'page'],
    reply: Type.Array(Note),
    answer({ state, params, query }) {
      const own = state.comments.filter(({ number }) => number === Number(params.iid)).map(noteOf)
      return ok(
        pageOf(
          [{ ...noteOf({ id: 1, number: 1, body: 'changed the title', author: state.me }), system: true }, ...own],
          query,
          'per_page',
        ),
      )
    },
  },
  {
    method: 'POST',
    path: `${PROJECT}/merge_requests/:iid/notes`,
    body: Type.Object({ body: Text, internal: Type.Optional(Type.Boolean()), created_at: MaybeText }, strict),
    reply: Note,
    answer: ({ state, params, body }) => created(noteOf(addComment(state, Number(params.iid), String(body.body)))),
  },
  {
    method: 'PUT',
    path: `${PROJECT}/merge_requests/:iid/notes/:note`,
    body: Type.Object({ body: Text }, strict),
    reply: Note,
    answer({ state, params, body }) {
      const comment = state.comments.find(({ id }) => id === Number(params.note))
      if (comment === undefined) return notFound()
      if (comment.author !== state.me) return { status: 403, body: { message: '403 Forbidden' } }
      comment.body = String(body.body)
      return ok(noteOf(comment))
    },
  },
]
