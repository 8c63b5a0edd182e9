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

// The fields of Gitea's Swagger document that matter here; Forgejo's has the same.
const strict = { additionalProperties: false }
const Text = Type.String()
const MaybeText = Type.Optional(Text)
const Names = Type.Optional(Type.Array(Text))
const User = Type.Object({ id: Type.Integer(), login: Text })
const Side = Type.Object({ label: Text, ref: Text, sha: Text, repo: Type.Object({ full_name: Text }) })
const Pull = Type.Object({
  id: Type.Integer(),
  number: Type.Integer(),
  state: Text,
  html_url: Text,
  title: Text,
  body: Text,
  draft: Type.Boolean(),
  head: Side,
  base: Side,
  user: User,
})
const Comment = Type.Object({ id: Type.Integer(), body: Text, user: User, html_url: Text })
const REPO = '/repos/:owner/:repo'

const user = (login: string) => ({ id: userId(login), login })
const side = (ref: string, fullName: string) => ({
  label: ref,
  ref,
  sha: '0'.repeat(40),
  repo: { full_name: fullName },
})

const pullOf = (state: ForgeState, { number, title, body, head, base, from }: StoredRequest) => ({
  id: number + 500,
  number,
  state: 'open',
  html_url: `${state.pageUrl}/${state.path}/pulls/${number}`,
  title,
  body,
  draft: title.startsWith('WIP: '),
  head: side(head, from),
  base: side(base, state.path),
  user: user(state.me),
})
const commentOf = (state: ForgeState, { id, number, body, author }: StoredComment) => ({
  id,
  body,
  user: user(author),
  html_url: `${state.pageUrl}/${state.path}/pulls/${number}#issuecomment-${id}`,
})

export const GITEA_ROUTES: ForgeRoute[] = [
  { method: 'GET', path: '/user', reply: User, answer: ({ state }) => ok(user(state.me)) },
  {
    method: 'GET',
    path: '/users/:login',
    reply: User,
    answer: ({ state, params: { login = '' } }) =>
      state.users.has(login) ? ok(user(login)) : notFound('user does not exist'),
  },
  {
    method: 'GET',
    path: REPO,
    reply: Type.Object({ full_name: Text, default_branch: Text }),
    answer: ({ state }) => ok({ full_name: state.path, default_branch: state.defaultBranch }),
  },
  {
    method: 'GET',
    path: `${REPO}/branches/*branch`,
    reply: Type.Object({ name: Text }),
    answer: ({ state, params: { branch = '' } }) =>
      state.branches().includes(branch) ? ok({ name: branch }) : notFound('branch does not exist'),
  },
  {
    method: 'GET',
    path: `${REPO}/git/commits/:sha`,
    reply: Type.Object({ sha: Text, author: Type.Union([User, Type.Null()]) }),
    answer({ state, params: { sha = '' } }) {
      const author = state.authors.get(sha)
      return ok({ sha, author: author === undefined ? null : user(author) })
    },
  },
  {
    method: 'GET',
    path: `${REPO}/pulls`,
    query: ['state', 'sort', 'milestone', 'labels', 'poster', 'base_branch', 'page', 'limit'],
    reply: Type.Array(Pull),
    answer: ({ state, query }) =>
      ok(pageOf(openRequests(state), query, 'limit', state.maxPage).map(one => pullOf(state, one))),
  },
  {
    method: 'POST',
    path: `${REPO}/pulls`,
    body: Type.Object(
      {
        assignee: MaybeText,
        assignees: Names,
        base: Text,
        body: MaybeText,
        due_date: MaybeText,
        head: Text,
        labels: Type.Optional(Type.Array(Type.Integer())),
        milestone: Type.Optional(Type.Integer()),
        reviewers: Names,
        team_reviewers: Names,
        title: Text,
      },
      strict,
    ),
    reply: Pull,
    answer({ state, body }) {
      const { title = '', head = '', base = '', body: text = '' } = body as Record<string, string>
      const problem = openProblem(state, head, base)
      if (problem === 'exists') {
        return { status: 409, body: { message: 'pull request already exists for these targets' } }
      }
      if (problem !== null) return notFound()
      const isDraft = title.startsWith('WIP: ')
      return created(pullOf(state, addRequest(state, { title, body: text, head, base, isDraft })))
    },
  },
  {
    method: 'PATCH',
    path: `${REPO}/pulls/:number`,
    body: Type.Object({ title: MaybeText, body: MaybeText, base: MaybeText, state: MaybeText }, strict),
    reply: Pull,
    answer({ state, params, body }) {
      const request = requestNumbered(state, params.number)
      if (request === undefined) return notFound()
      const { state: wanted, ...fields } = body
      Object.assign(request, fields, wanted === undefined ? {} : { isOpen: wanted === 'open' })
      request.isDraft = request.title.startsWith('WIP: ')
      return created(pullOf(state, request)) // Gitea says 201 here
    },
  },
  {
    method: 'GET',
    path: `${REPO}/pulls/:index`,
    reply: Type.Object({
      state: Text,
      merged: Type.Boolean(),
      merge_commit_sha: Type.Union([Text, Type.Null()]),
      title: Text,
      head: Side,
    }),
    answer({ state, params }) {
      const request = requestNumbered(state, params.index)
      if (request === undefined) return notFound()
      const pull = pullOf(state, request)
      return ok({
        ...pull,
        state: request.isOpen ? 'open' : 'closed',
        merged: request.mergeCommit !== undefined,
        merge_commit_sha: request.mergeCommit ?? null,
        head: { ...pull.head, sha: state.tipOf(request.head) },
      })
    },
  },
  {
    method: 'POST',
    path: `${REPO}/pulls/:index/merge`,
    body: Type.Object(
      {
        Do: Type.Enum(['merge', 'rebase', 'rebase-merge', 'squash', 'fast-forward-only', 'manually-merged']),
        MergeTitleField: MaybeText,
        MergeMessageField: MaybeText,
        head_commit_id: MaybeText,
        delete_branch_after_merge: Type.Optional(Type.Boolean()),
        force_merge: Type.Optional(Type.Boolean()),
        merge_when_checks_succeed: Type.Optional(Type.Boolean()),
      },
      strict,
    ),
    reply: Type.Unknown(),
    answer({ state, params, body }) {
      const {
        head_commit_id: commit,
        MergeTitleField: title = '',
        MergeMessageField: text = '',
      } = body as Record<string, string>
      const request = requestNumbered(state, params.index)
      const merged = mergeStored(state, request, { commit, message: `${title}\n\n${text}` })
      if (merged === 'missing') return notFound()
      if (merged === 'not-mergeable') return { status: 405, body: { message: 'Please try again later' } }
      if (merged === 'moved') return { status: 409, body: { message: 'head out of date' } }
      return ok({})
    },
  },
  {
    method: 'POST',
    path: `${REPO}/pulls/:number/requested_reviewers`,
    body: Type.Object({ reviewers: Names, team_reviewers: Names }, strict),
    reply: Type.Array(Type.Object({ id: Type.Integer(), state: Text })),
    answer({ state, params, body }) {
      const request = requestNumbered(state, params.number)
      if (request === undefined) return notFound()
      const names = (body.reviewers ?? []) as string[]
      if (names.some(name => state.strangers.has(name) || name === state.me)) {
        return { status: 422, body: { message: 'poster of pr can’t be reviewer' } }
      }
      request.reviewers.push(...names)
      return created(names.map((_, at) => ({ id: at + 1, state: 'REQUEST_REVIEW' })))
    },
  },
  {
    method: 'GET',
    path: `${REPO}/issues/:number/comments`,
    query: ['since', 'before'],
    reply: Type.Array(Comment),
    answer: ({ state, params }) =>
      ok(
        state.comments
          .filter(({ number }) => number === Number(params.number))
          .map(comment => commentOf(state, comment)),
      ),
  },
  {
    method: 'POST',
    path: `${REPO}/issues/:number/comments`,
    body: Type.Object({ body: Text, updated_at: MaybeText }, strict),
    reply: Comment,
    answer: ({ state, params, body }) =>
      created(commentOf(state, addComment(state, Number(params.number), String(body.body)))),
  },
  {
    method: 'PATCH',
    path: `${REPO}/issues/comments/:id`,
    body: Type.Object({ body: Text, updated_at: MaybeText }, strict),
    reply: Comment,
    answer({ state, params, body }) {
      const comment = state.comments.find(({ id }) => id === Number(params.id))
      if (comment === undefined) return notFound()
      if (comment.author !== state.me) return { status: 403, body: { message: 'Forbidden' } }
      comment.body = String(body.body)
      return ok(commentOf(state, comment))
    },
  },
]
