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
  type RouteAnswer,
  type StoredCheckRun,
  type StoredComment,
  type StoredRequest,
} from './forge-state.ts'

// The fields of github/rest-api-description that matter here, with the names and types that it gives them.
const strict = { additionalProperties: false }
const Text = Type.String()
const MaybeText = Type.Optional(Text)
const User = Type.Object({ login: Text, id: Type.Integer(), type: Text })
const Pull = Type.Object({
  number: Type.Integer(),
  state: Type.Enum(['open', 'closed']),
  html_url: Text,
  title: Text,
  body: Type.Union([Text, Type.Null()]),
  draft: Type.Boolean(),
  head: Type.Object({ ref: Text, label: Text, repo: Type.Object({ full_name: Text }) }),
  base: Type.Object({ ref: Text, label: Text }),
  user: User,
  requested_reviewers: Type.Array(User),
  requested_teams: Type.Array(Type.Object({ id: Type.Integer(), slug: Text, name: Text })),
})
const Comment = Type.Object({ id: Type.Integer(), body: Text, user: User, html_url: Text })
const Annotation = Type.Object(
  {
    path: Text,
    start_line: Type.Integer({ minimum: 1 }),
    end_line: Type.Integer({ minimum: 1 }),
    start_column: Type.Optional(Type.Integer()),
    end_column: Type.Optional(Type.Integer()),
    annotation_level: Type.Enum(['notice', 'warning', 'failure']),
    message: Type.String({ minLength: 1 }),
    title: MaybeText,
    raw_details: MaybeText,
  },
  strict,
)
const Output = Type.Object(
  {
    title: Text,
    summary: Type.String({ maxLength: 65_535 }),
    text: MaybeText,
    annotations: Type.Optional(Type.Array(Annotation, { maxItems: 50 })),
  },
  strict,
)
const CONCLUSIONS = ['action_required', 'cancelled', 'failure', 'neutral', 'success', 'skipped', 'timed_out']
const checkFields = {
  status: Type.Optional(Type.Enum(['queued', 'in_progress', 'completed'])),
  conclusion: Type.Optional(Type.Enum(CONCLUSIONS)),
  external_id: MaybeText,
  details_url: MaybeText,
  output: Type.Optional(Output),
}
const CheckRun = Type.Object({
  id: Type.Integer(),
  head_sha: Text,
  external_id: Type.Union([Text, Type.Null()]),
  html_url: Type.Union([Text, Type.Null()]),
  output: Type.Object({ annotations_count: Type.Integer() }),
})
const REPO = '/repos/:owner/:repo'

const user = (login: string) => ({ login, id: userId(login), type: 'User' })
const invalid = (errors: unknown[]): RouteAnswer => ({ status: 422, body: { message: 'Validation Failed', errors } })

const pullOf = (
  state: ForgeState,
  { number, title, body, head, base, isDraft, from, reviewers, teams = [] }: StoredRequest,
) => ({
  number,
  state: 'open',
  html_url: `${state.pageUrl}/${state.path}/pull/${number}`,
  title,
  body,
  draft: isDraft,
  head: { ref: head, label: `${from.split('/')[0]}:${head}`, repo: { full_name: from } },
  base: { ref: base, label: `${state.path.split('/')[0]}:${base}` },
  user: user(state.me),
  requested_reviewers: reviewers.map(user),
  requested_teams: teams.map((slug, at) => ({ id: at + 1, slug, name: slug })),
})
const commentOf = (state: ForgeState, { id, number, body, author }: StoredComment) => ({
  id,
  body,
  user: user(author),
  html_url: `${state.pageUrl}/${state.path}/pull/${number}#issuecomment-${id}`,
})
const checkOf = (state: ForgeState, { id, commit, externalId, annotations }: StoredCheckRun) => ({
  id,
  head_sha: commit,
  external_id: externalId,
  html_url: `${state.pageUrl}/${state.path}/runs/${id}`,
  output: { annotations_count: annotations.length },
})

type CheckOutput = { title: string; summary: string; annotations?: Array<Record<string, unknown>> }

const PullState = Type.Object({
  state: Type.Enum(['open', 'closed']),
  merged: Type.Boolean(),
  merge_commit_sha: Type.Union([Text, Type.Null()]),
  draft: Type.Boolean(),
  title: Text,
  head: Type.Object({ ref: Text, sha: Text }),
})
const pullStateOf = (state: ForgeState, request: StoredRequest) => ({
  ...pullOf(state, request),
  state: request.isOpen ? 'open' : 'closed',
  merged: request.mergeCommit !== undefined,
  merge_commit_sha: request.mergeCommit ?? null,
  draft: request.isDraft,
  head: { ref: request.head, sha: state.tipOf(request.head), repo: { full_name: request.from } },
})

export const GITHUB_ROUTES: ForgeRoute[] = [
  { method: 'GET', path: '/user', reply: User, answer: ({ state }) => ok(user(state.me)) },
  {
    method: 'GET',
    path: '/users/:login',
    reply: User,
    answer: ({ state, params: { login = '' } }) => (state.users.has(login) ? ok(user(login)) : notFound()),
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
      state.branches().includes(branch) ? ok({ name: branch }) : notFound('Branch not found'),
  },
  {
    method: 'GET',
    path: `${REPO}/pulls`,
    query: ['state', 'head', 'base', 'sort', 'direction', 'per_page', 'page'],
    reply: Type.Array(Pull),
    answer({ state, query }) {
      const head = query.get('head')
      const found = openRequests(state).filter(one => head === null || `${one.from.split('/')[0]}:${one.head}` === head)
      return ok(pageOf(found, query, 'per_page').map(one => pullOf(state, one)))
    },
  },
  {
    method: 'POST',
    path: `${REPO}/pulls`,
    body: Type.Object(
      {
        title: MaybeText,
        head: Text,
        head_repo: MaybeText,
        base: Text,
        body: MaybeText,
        maintainer_can_modify: Type.Optional(Type.Boolean()),
        draft: Type.Optional(Type.Boolean()),
        issue: Type.Optional(Type.Integer()),
      },
      strict,
    ),
    reply: Pull,
    answer({ state, body }) {
      const { title, head, base, body: text, draft } = body as Record<string, string>
      const problem = openProblem(state, head ?? '', base ?? '')
      if (problem === 'exists') {
        const message = `A pull request already exists for ${state.path.split('/')[0]}:${head}.`
        return invalid([{ resource: 'PullRequest', code: 'custom', message }])
      }
      if (problem !== null) return invalid([{ resource: 'PullRequest', field: problem, code: 'invalid' }])
      if (Boolean(draft) && !state.hasDrafts) {
        return { status: 422, body: { message: 'Draft pull requests are not supported in this repository.' } }
      }
      const isDraft = Boolean(draft)
      const made = addRequest(state, {
        title: title ?? '',
        body: text ?? '',
        head: head ?? '',
        base: base ?? '',
        isDraft,
      })
      return created(pullOf(state, made))
    },
  },
  {
    method: 'PATCH',
    path: `${REPO}/pulls/:number`,
    body: Type.Object({ title: MaybeText, body: MaybeText, state: MaybeText, base: MaybeText }, strict),
    reply: Pull,
    answer({ state, params, body }) {
      const request = requestNumbered(state, params.number)
      if (request === undefined) return notFound()
      const { state: wanted, ...fields } = body
      Object.assign(request, fields, wanted === undefined ? {} : { isOpen: wanted === 'open' })
      return ok(pullOf(state, request))
    },
  },
  {
    method: 'GET',
    path: `${REPO}/pulls/:number`,
    reply: PullState,
    answer({ state, params }) {
      const request = requestNumbered(state, params.number)
      return request === undefined ? notFound() : ok(pullStateOf(state, request))
    },
  },
  {
    method: 'PUT',
    path: `${REPO}/pulls/:number/merge`,
    body: Type.Object(
      { commit_title: MaybeText, commit_message: MaybeText, sha: MaybeText, merge_method: MaybeText },
      strict,
    ),
    reply: Type.Object({ sha: Text, merged: Type.Boolean(), message: Text }),
    answer({ state, params, body }) {
      const { sha, commit_title: title = '', commit_message: text = '' } = body as Record<string, string>
      const request = requestNumbered(state, params.number)
      const merged = mergeStored(state, request, { commit: sha, message: `${title}\n\n${text}` })
      if (merged === 'missing') return notFound()
      if (merged === 'not-mergeable') return { status: 405, body: { message: 'Pull Request is not mergeable' } }
      if (merged === 'moved') {
        return { status: 409, body: { message: 'Head branch was modified. Review and try the merge again.' } }
      }
      return ok({ sha: merged.mergeCommit, merged: true, message: 'Pull Request successfully merged' })
    },
  },
  {
    method: 'POST',
    path: `${REPO}/pulls/:number/requested_reviewers`,
    body: Type.Object(
      { reviewers: Type.Optional(Type.Array(Text)), team_reviewers: Type.Optional(Type.Array(Text)) },
      strict,
    ),
    reply: Pull,
    answer({ state, params, body }) {
      const request = requestNumbered(state, params.number)
      if (request === undefined) return notFound()
      const names = (body.reviewers ?? []) as string[]
      if (names.some(name => !state.users.has(name) || state.strangers.has(name) || name === state.me)) {
        const message = 'Reviews may only be requested from collaborators.'
        return { status: 422, body: { message } }
      }
      const teams = (body.team_reviewers ?? []) as string[]
      if (teams.some(slug => !state.teams.has(slug))) {
        const message =
          'Reviews may only be requested from collaborators. One or more of the users or teams you specified is ' +
          `not a collaborator of the ${state.path} repository.`
        return { status: 422, body: { message } }
      }
      request.reviewers.push(...names)
      request.teams = [...(request.teams ?? []), ...teams]
      return created(pullOf(state, request))
    },
  },
  {
    method: 'GET',
    path: `${REPO}/commits/:ref`,
    reply: Type.Object({ sha: Text, author: Type.Union([User, Type.Null()]) }),
    answer({ state, params: { ref = '' } }) {
      const author = state.authors.get(ref)
      return ok({ sha: ref, author: author === undefined ? null : user(author) })
    },
  },
  {
    method: 'GET',
    path: `${REPO}/issues/:number/comments`,
    query: ['since', 'per_page', 'page'],
    reply: Type.Array(Comment),
    answer: ({ state, params, query }) =>
      ok(
        pageOf(
          state.comments.filter(({ number }) => number === Number(params.number)),
          query,
          'per_page',
        ).map(one => commentOf(state, one)),
      ),
  },
  {
    method: 'POST',
    path: `${REPO}/issues/:number/comments`,
    body: Type.Object({ body: Text }, strict),
    reply: Comment,
    answer: ({ state, params, body }) =>
      created(commentOf(state, addComment(state, Number(params.number), String(body.body)))),
  },
  {
    method: 'PATCH',
    path: `${REPO}/issues/comments/:id`,
    body: Type.Object({ body: Text }, strict),
    reply: Comment,
    answer({ state, params, body }) {
      const comment = state.comments.find(({ id }) => id === Number(params.id))
      if (comment === undefined) return notFound()
      if (comment.author !== state.me) {
        return { status: 403, body: { message: 'Must have admin rights to Repository.' } }
      }
      comment.body = String(body.body)
      return ok(commentOf(state, comment))
    },
  },
  {
    method: 'GET',
    path: `${REPO}/installation`,
    reply: Type.Object({ id: Type.Integer() }),
    answer: () => ok({ id: 17 }),
  },
  {
    method: 'POST',
    path: '/app/installations/:id/access_tokens',
    body: Type.Object(
      {
        repositories: Type.Optional(Type.Array(Text)),
        repository_ids: Type.Optional(Type.Array(Type.Integer())),
        permissions: Type.Optional(Type.Record(Text, Type.Enum(['read', 'write']))),
      },
      strict,
    ),
    reply: Type.Object({ token: Text, expires_at: Text }),
    answer: () => created({ token: 'ghs_of-the-installation', expires_at: '2026-11-24T12:00:00Z' }),
  },
  {
    method: 'GET',
    path: `${REPO}/commits/:ref/check-runs`,
    query: ['check_name', 'status', 'filter', 'per_page', 'page', 'app_id'],
    reply: Type.Object({ total_count: Type.Integer(), check_runs: Type.Array(CheckRun) }),
    answer({ state, params }) {
      const runs = state.checkRuns.filter(({ commit }) => commit === params.ref)
      return ok({ total_count: runs.length, check_runs: runs.map(run => checkOf(state, run)) })
    },
  },
  {
    method: 'POST',
    path: `${REPO}/check-runs`,
    body: Type.Object({ name: Text, head_sha: Type.String({ pattern: '^[0-9a-f]{40}$' }), ...checkFields }, strict),
    reply: CheckRun,
    answer({ state, body }) {
      const { title, summary, annotations = [] } = body.output as CheckOutput
      const run = {
        id: state.checkRuns.length + 1,
        commit: String(body.head_sha),
        externalId: String(body.external_id),
        conclusion: String(body.conclusion),
        title,
        summary,
        annotations: [...annotations],
      }
      state.checkRuns.push(run)
      return created(checkOf(state, run))
    },
  },
  {
    method: 'PATCH',
    path: `${REPO}/check-runs/:id`,
    body: Type.Object({ name: MaybeText, ...checkFields }, strict),
    reply: CheckRun,
    answer({ state, params, body }) {
      const run = state.checkRuns.find(({ id }) => id === Number(params.id))
      if (run === undefined) return notFound()
      run.annotations.push(...((body.output as CheckOutput).annotations ?? []))
      return ok(checkOf(state, run))
    },
  },
]
