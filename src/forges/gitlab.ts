import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import { isMarkedWith, pagesOf, urlPath, type ForgeAccess } from './forge-access.ts'
import type { Forge, Person, PullRequest } from './forge.ts'
import { onlyMerged } from './github-replies.ts'
import { isRefusedWith } from './forge-refusal.ts'
import { Anything, Id, MaybeCommit, MaybeFlag, MaybeText, Name, PageUrl, Text } from './replies.ts'

const User = Type.Object({ id: Id, username: Name })
const Project = Type.Object({ default_branch: Type.Union([Name, Type.Null()]) })
const MergeRequest = Type.Object({
  iid: Id,
  web_url: PageUrl,
  title: Text,
  description: MaybeText,
  source_branch: Name,
  target_branch: Name,
  source_project_id: Type.Union([Id, Type.Null()]),
  target_project_id: Id,
})
const State = Type.Object({
  state: Name,
  title: Text,
  sha: MaybeCommit,
  merge_commit_sha: MaybeCommit,
  squash_commit_sha: MaybeCommit,
  draft: MaybeFlag,
})
const Reviewed = Type.Object({ reviewers: Type.Optional(Type.Array(User)) })
const Commit = Type.Object({ author_email: Text })
const Note = Type.Object({ id: Id, body: Text, system: Type.Boolean(), author: User })

const PER_PAGE = 100
const DRAFT = 'Draft: '
const DRAFT_TITLE = /^(?:Draft:|\[Draft\]|\(Draft\))\s*/i

const personOf = ({ id, username }: Static<typeof User>): Person => ({ id: String(id), name: username })

const requestOf = (found: Static<typeof MergeRequest>): PullRequest => ({
  number: found.iid,
  url: found.web_url,
  title: found.title,
  body: found.description ?? '',
  head: found.source_branch,
  base: found.target_branch,
  isOwn: found.source_project_id === found.target_project_id,
})

/** The REST API of GitLab, version 4. */
export function createGitlab({ http, path }: ForgeAccess): Forge {
  const project = `/projects${urlPath(path)}`
  const requestPath = (number: number): string => `${project}/merge_requests${urlPath(number)}`

  const requests = async (query: Record<string, string>, signal: AbortSignal): Promise<PullRequest[]> =>
    (
      await pagesOf(PER_PAGE, page =>
        http.call({
          method: 'GET',
          path: `${project}/merge_requests`,
          query: { state: 'opened', order_by: 'created_at', sort: 'asc', ...query, per_page: PER_PAGE, page },
          reply: Type.Array(MergeRequest),
          to: 'list merge requests',
          signal,
        }),
      )
    ).map(requestOf)

  const users = (query: Record<string, string>, signal: AbortSignal): Promise<Array<Static<typeof User>>> =>
    http.call({ method: 'GET', path: '/users', query, reply: Type.Array(User), to: 'look a user up', signal })

  const onlyOne = (found: ReadonlyArray<Static<typeof User>>): Person | null => {
    const [first] = found
    return first !== undefined && found.length === 1 ? personOf(first) : null
  }

  return {
    kind: 'gitlab',
    mergesShown: true,
    async me(signal) {
      try {
        const found = await http.call({
          method: 'GET',
          path: '/user',
          reply: User,
          to: 'say whose the token is',
          signal,
        })
        return String(found.id)
      } catch (error) {
        if (isRefusedWith(error, 403, 404)) return null
        throw error
      }
    },
    async defaultBranch(signal) {
      const call = { method: 'GET', path: project, reply: Project, to: 'show the project', signal } as const
      return (await http.call(call)).default_branch ?? ''
    },
    async hasBranch(branch, signal) {
      try {
        const at = `${project}/repository/branches${urlPath(branch)}`
        await http.call({ method: 'GET', path: at, reply: Type.Object({ name: Name }), to: 'show a branch', signal })
        return true
      } catch (error) {
        if (isRefusedWith(error, 404)) return false
        throw error
      }
    },
    async findByHead(branch, signal) {
      const found = await requests({ source_branch: branch }, signal)
      return found.find(({ head, isOwn }) => head === branch && isOwn) ?? null
    },
    async findMarked(word, signal) {
      const found = await requests({ search: word, in: 'description' }, signal)
      return found.find(isMarkedWith(word)) ?? null
    },
    async open({ head, base, title, body, isDraft }, signal) {
      const made = await http.call({
        method: 'POST',
        path: `${project}/merge_requests`,
        body: {
          source_branch: head,
          target_branch: base,
          title: isDraft ? `${DRAFT}${title}` : title,
          description: body,
        },
        reply: MergeRequest,
        to: 'open a merge request',
        signal,
      })
      return requestOf(made)
    },
    async update(number, { title, body }, signal) {
      await http.call({
        method: 'PUT',
        path: requestPath(number),
        body: { title, description: body },
        reply: MergeRequest,
        to: 'change a merge request',
        signal,
      })
    },
    async look(number, signal) {
      const at = requestPath(number)
      const found = await http.call({ method: 'GET', path: at, reply: State, to: 'show a merge request', signal })
      const { state, title, sha, merge_commit_sha: merge, squash_commit_sha: squash, draft } = found
      const is = state === 'merged' || state === 'closed' ? state : 'open'
      const isDraft = draft === true || DRAFT_TITLE.test(title)
      return { is, isDraft, title, head: sha ?? null, mergeCommit: onlyMerged(is, merge ?? squash) }
    },
    async close(number, signal) {
      const body = { state_event: 'close' }
      const call = { method: 'PUT', path: requestPath(number), body, reply: MergeRequest } as const
      await http.call({ ...call, to: 'close a merge request', signal })
    },
    async makeReady(number, title, signal) {
      const body = { title: title.replace(DRAFT_TITLE, '') }
      const call = { method: 'PUT', path: requestPath(number), body, reply: MergeRequest } as const
      await http.call({ ...call, to: 'change a merge request', signal })
    },
    async merge({ number, commit, message }, signal) {
      const { merge_commit_sha: merge, squash_commit_sha: squash } = await http.call({
        method: 'PUT',
        path: `${requestPath(number)}/merge`,
        body: { sha: commit, merge_commit_message: message.trim() },
        reply: State,
        to: 'merge a merge request',
        signal,
      })
      return merge ?? squash ?? null
    },
    async personNamed(username, signal) {
      return onlyOne(await users({ username }, signal))
    },
    teamNamed() {
      return null // only people review there
    },
    async authorOf(commit, signal) {
      try {
        const at = `${project}/repository/commits${urlPath(commit)}`
        const { author_email: email } = await http.call({
          method: 'GET',
          path: at,
          reply: Commit,
          to: 'show a commit',
          signal,
        })
        // finds an address that its owner shows, or any where the token is an administrator's
        return email.includes('@') ? onlyOne(await users({ search: email }, signal)) : null
      } catch (error) {
        if (isRefusedWith(error, 403, 404)) return null
        throw error
      }
    },
    async askReviewers(number, people, signal) {
      if (people.length === 0) return []
      const { reviewers = [] } = await http.call({
        method: 'PUT',
        path: requestPath(number),
        body: { reviewer_ids: people.map(({ id }) => Number(id)) },
        reply: Reviewed,
        to: 'ask for a review',
        signal,
      })
      return reviewers.map(personOf) // the free edition takes one
    },
    async comments(number, signal) {
      const found = await pagesOf(PER_PAGE, page =>
        http.call({
          method: 'GET',
          path: `${requestPath(number)}/notes`,
          query: { order_by: 'created_at', sort: 'asc', per_page: PER_PAGE, page },
          reply: Type.Array(Note),
          to: 'list comments',
          signal,
        }),
      )
      return found
        .filter(({ system }) => !system)
        .map(({ id, body, author }) => ({ id: String(id), body, author: String(author.id) }))
    },
    async addComment(number, body, signal) {
      const at = `${requestPath(number)}/notes`
      await http.call({ method: 'POST', path: at, body: { body }, reply: Anything, to: 'comment', signal })
    },
    async updateComment(number, id, body, signal) {
      const at = `${requestPath(number)}/notes${urlPath(id)}`
      await http.call({ method: 'PUT', path: at, body: { body }, reply: Anything, to: 'change a comment', signal })
    },
  }
}
