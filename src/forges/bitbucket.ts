import type { Static, TSchema } from 'typebox'
import { Type } from '../core/type.ts'
import { branchPath, isMarkedWith, ownerAndName, readPages, urlPath, type ForgeAccess } from './forge-access.ts'
import type { Forge, Person, PullRequest, RequestState } from './forge.ts'
import { onlyMerged } from './github-replies.ts'
import { isRefusedWith } from './forge-refusal.ts'
import { Anything, Id, MaybeCommit, MaybeFlag, MaybeText, Name, PageUrl, Text } from './replies.ts'

const User = Type.Object({ uuid: Name, display_name: Type.Optional(Text), nickname: Type.Optional(Text) })
const Repository = Type.Object({ mainbranch: Type.Optional(Type.Union([Type.Object({ name: Name }), Type.Null()])) })
const Side = Type.Object({
  branch: Type.Object({ name: Name }),
  repository: Type.Optional(Type.Union([Type.Object({ full_name: Name }), Type.Null()])),
})
const Pull = Type.Object({
  id: Id,
  title: Text,
  description: MaybeText,
  links: Type.Object({ html: Type.Object({ href: PageUrl }) }),
  source: Side,
  destination: Side,
})
const State = Type.Object({
  state: Name,
  title: Text,
  draft: MaybeFlag,
  source: Type.Object({ commit: Type.Optional(Type.Union([Type.Object({ hash: MaybeCommit }), Type.Null()])) }),
  merge_commit: Type.Optional(Type.Union([Type.Object({ hash: MaybeCommit }), Type.Null()])),
})
const STATES: ReadonlyMap<string, RequestState['is']> = new Map([
  ['OPEN', 'open'],
  ['MERGED', 'merged'],
])
const Reviewers = Type.Optional(Type.Array(User))
const Reviewed = Type.Object({ reviewers: Reviewers })
/** What a change has to send again; the request's own page alone has its reviewers. */
const Changeable = Type.Object({
  title: Text,
  description: MaybeText,
  reviewers: Reviewers,
  draft: Type.Optional(Type.Boolean()),
  close_source_branch: Type.Optional(Type.Boolean()),
})
const Commit = Type.Object({
  author: Type.Optional(Type.Object({ user: Type.Optional(Type.Union([User, Type.Null()])) })),
})
const Comment = Type.Object({
  id: Id,
  deleted: Type.Optional(Type.Boolean()),
  content: Type.Object({ raw: MaybeText }),
  user: Type.Optional(Type.Union([User, Type.Null()])),
})
const pageWith = <One extends TSchema>(one: One) => Type.Object({ values: Type.Array(one), next: Type.Optional(Text) })

const PER_PAGE = 50
const HTML_COMMENT = /^<!-- ([\w .-]+) -->$/gm
const HIDDEN_LINE = /^\[\/\/\]: # \(([\w .-]+)\)$/gm

/** Bitbucket shows HTML comments as text; a link that is defined and not used is shown by no Markdown. */
const hideMarkers = (body: string): string => body.replace(HTML_COMMENT, '[//]: # ($1)')
const showMarkers = (body: string): string => body.replace(HIDDEN_LINE, '<!-- $1 -->')

const personOf = ({ uuid, nickname, display_name: name }: Static<typeof User>): Person => ({
  id: uuid,
  name: nickname ?? name ?? uuid,
})

/** The REST API of Bitbucket Cloud, version 2.0. */
export function createBitbucket({ http, path }: ForgeAccess): Forge {
  const { owner, name } = ownerAndName(path)
  const repository = `/repositories${urlPath(owner, name)}`
  const requestPath = (number: number): string => `${repository}/pullrequests${urlPath(number)}`

  const requestOf = (found: Static<typeof Pull>): PullRequest => ({
    number: found.id,
    url: found.links.html.href,
    title: found.title,
    body: showMarkers(found.description ?? ''),
    head: found.source.branch.name,
    base: found.destination.branch.name,
    isOwn: found.source.repository?.full_name.toLowerCase() === path.toLowerCase(),
  })

  const pulls = async (query: Record<string, string>, signal: AbortSignal): Promise<PullRequest[]> =>
    (
      await readPages(async page => {
        const { values, next } = await http.call({
          method: 'GET',
          path: `${repository}/pullrequests`,
          query: { state: 'OPEN', sort: 'created_on', ...query, pagelen: PER_PAGE, page },
          reply: pageWith(Pull),
          to: 'list pull requests',
          signal,
        })
        return { entries: values, isLast: next === undefined }
      })
    ).map(requestOf)

  /** Changes some fields of a request; the rest is sent as it is, since what a body leaves out is emptied there. */
  async function change(
    number: number,
    changed: (now: Static<typeof Changeable>) => object,
    { to, signal }: { to: string; signal: AbortSignal },
  ): Promise<Static<typeof Reviewed>> {
    const at = requestPath(number)
    const now = await http.call({ method: 'GET', path: at, reply: Changeable, to: 'show a pull request', signal })
    const { title, description, draft, close_source_branch: closesBranch, reviewers } = now
    const same = {
      title,
      description: description ?? '',
      reviewers: (reviewers ?? []).map(({ uuid }) => ({ uuid })),
      ...(draft === undefined ? {} : { draft }),
      ...(closesBranch === undefined ? {} : { close_source_branch: closesBranch }),
    }
    return http.call({ method: 'PUT', path: at, body: { ...same, ...changed(now) }, reply: Reviewed, to, signal })
  }

  return {
    kind: 'bitbucket',
    mergesShown: false,
    async me(signal) {
      try {
        return (await http.call({ method: 'GET', path: '/user', reply: User, to: 'say whose the token is', signal }))
          .uuid
      } catch (error) {
        if (isRefusedWith(error, 401, 403, 404)) return null // the token of a repository is nobody's
        throw error
      }
    },
    async defaultBranch(signal) {
      const call = { method: 'GET', path: repository, reply: Repository, to: 'show the repository', signal } as const
      return (await http.call(call)).mainbranch?.name ?? ''
    },
    async hasBranch(branch, signal) {
      try {
        const at = `${repository}/refs/branches/${branchPath(branch)}`
        await http.call({ method: 'GET', path: at, reply: Type.Object({ name: Name }), to: 'show a branch', signal })
        return true
      } catch (error) {
        if (isRefusedWith(error, 404)) return false
        throw error
      }
    },
    async findByHead(branch, signal) {
      const found = await pulls({ q: `source.branch.name = ${JSON.stringify(branch)}` }, signal)
      return found.find(({ head, isOwn }) => head === branch && isOwn) ?? null
    },
    async findMarked(word, signal) {
      return (await pulls({}, signal)).find(isMarkedWith(word)) ?? null
    },
    async open({ head, base, title, body, isDraft }, signal) {
      const made = await http.call({
        method: 'POST',
        path: `${repository}/pullrequests`,
        body: {
          title,
          description: hideMarkers(body),
          source: { branch: { name: head } },
          destination: { branch: { name: base } },
          draft: isDraft,
        },
        reply: Pull,
        to: 'open a pull request',
        signal,
      })
      return requestOf(made)
    },
    async update(number, { title, body }, signal) {
      const text = { title, description: hideMarkers(body) }
      await change(number, () => text, { to: 'change a pull request', signal })
    },
    async look(number, signal) {
      const at = requestPath(number)
      const found = await http.call({ method: 'GET', path: at, reply: State, to: 'show a pull request', signal })
      const { state, title, draft, source, merge_commit: merge } = found
      const is = STATES.get(state) ?? 'closed'
      const head = source.commit?.hash ?? null
      return { is, isDraft: draft === true, title, head, mergeCommit: onlyMerged(is, merge?.hash) }
    },
    async close(number, signal) {
      const call = { method: 'POST', path: `${requestPath(number)}/decline`, body: {}, reply: Anything } as const
      await http.call({ ...call, to: 'decline a pull request', signal })
    },
    async makeReady(number, _title, signal) {
      await change(number, () => ({ draft: false }), { to: 'change a pull request', signal })
    },
    async merge({ number, message }, signal) {
      const { merge_commit: merge } = await http.call({
        method: 'POST',
        path: `${requestPath(number)}/merge`,
        body: { type: 'pullrequest', message: message.trim(), merge_strategy: 'merge_commit' },
        reply: State,
        to: 'merge a pull request',
        signal,
      })
      return merge?.hash ?? null
    },
    async personNamed() {
      return null // owners have names there that no call finds
    },
    teamNamed() {
      return null // only people review there
    },
    async authorOf(commit, signal) {
      try {
        const at = `${repository}/commit${urlPath(commit)}`
        const { author } = await http.call({ method: 'GET', path: at, reply: Commit, to: 'show a commit', signal })
        return author?.user === undefined || author.user === null ? null : personOf(author.user)
      } catch (error) {
        if (isRefusedWith(error, 404)) return null
        throw error
      }
    },
    async askReviewers(number, people, signal) {
      if (people.length === 0) return []
      try {
        const withPeople = ({ reviewers: asked = [] }: Static<typeof Changeable>) => {
          const uuids = new Set([...asked.map(({ uuid }) => uuid), ...people.map(({ id }) => id)])
          return { reviewers: [...uuids].map(uuid => ({ uuid })) }
        }
        const { reviewers } = await change(number, withPeople, { to: 'ask for a review', signal })
        if (reviewers === undefined) return [...people]
        const taken = new Set(reviewers.map(({ uuid }) => uuid))
        return people.filter(({ id }) => taken.has(id))
      } catch (error) {
        if (isRefusedWith(error, 400, 403)) return [] // its author, or somebody without access
        throw error
      }
    },
    async comments(number, signal) {
      const found = await readPages(async page => {
        const { values, next } = await http.call({
          method: 'GET',
          path: `${requestPath(number)}/comments`,
          query: { sort: 'created_on', pagelen: PER_PAGE, page },
          reply: pageWith(Comment),
          to: 'list comments',
          signal,
        })
        return { entries: values, isLast: next === undefined }
      })
      return found
        .filter(({ deleted }) => deleted !== true)
        .map(({ id, content, user }) => ({
          id: String(id),
          body: showMarkers(content.raw ?? ''),
          author: user?.uuid ?? null,
        }))
    },
    async addComment(number, body, signal) {
      const at = `${requestPath(number)}/comments`
      const content = { raw: hideMarkers(body) }
      await http.call({ method: 'POST', path: at, body: { content }, reply: Anything, to: 'comment', signal })
    },
    async updateComment(number, id, body, signal) {
      const at = `${requestPath(number)}/comments${urlPath(id)}`
      const content = { raw: hideMarkers(body) }
      await http.call({ method: 'PUT', path: at, body: { content }, reply: Anything, to: 'change a comment', signal })
    },
  }
}
