import { Type } from '../core/type.ts'
import { branchPath, isMarkedWith, ownerAndName, pagesOf, urlPath, type ForgeAccess } from './forge-access.ts'
import type { Forge, Person, PullRequest } from './forge.ts'
import { Comment, personOf, Pull, pullRequestsOf, PullState, Repository, stateOf, User } from './github-replies.ts'
import { ForgeRefusal, isRefusedWith } from './forge-refusal.ts'
import { Anything, MaybeCommit, Name } from './replies.ts'

const Commit = Type.Object({
  author: Type.Optional(Type.Union([Type.Null(), Type.Object({ login: Type.Optional(Name) })])),
})
const Requested = Type.Object({ requested_reviewers: Type.Optional(Type.Union([Type.Array(User), Type.Null()])) })

const PER_PAGE = 100

/** The REST API of GitHub, of github.com as of an enterprise server. */
export function createGithub({ http, path }: ForgeAccess): Forge {
  const { owner, name } = ownerAndName(path)
  const repository = `/repos${urlPath(owner, name)}`

  const requestOf = pullRequestsOf(path)

  const pulls = async (query: Record<string, string>, signal: AbortSignal): Promise<PullRequest[]> =>
    (
      await pagesOf(PER_PAGE, page =>
        http.call({
          method: 'GET',
          path: `${repository}/pulls`,
          query: { state: 'open', sort: 'created', direction: 'asc', ...query, per_page: PER_PAGE, page },
          reply: Type.Array(Pull),
          to: 'list pull requests',
          signal,
        }),
      )
    ).map(requestOf)

  async function create(body: object, signal: AbortSignal): Promise<PullRequest> {
    const made = await http.call({
      method: 'POST',
      path: `${repository}/pulls`,
      body,
      reply: Pull,
      to: 'open a pull request',
      signal,
    })
    return requestOf(made)
  }

  async function request(number: number, { id, isTeam = false }: Person, signal: AbortSignal): Promise<void> {
    await http.call({
      method: 'POST',
      path: `${repository}/pulls${urlPath(number)}/requested_reviewers`,
      body: isTeam ? { team_reviewers: [id] } : { reviewers: [id] },
      reply: Requested,
      to: 'ask for a review',
      signal,
    })
  }

  return {
    kind: 'github',
    mergesShown: true,
    async me(signal) {
      try {
        return (await http.call({ method: 'GET', path: '/user', reply: User, to: 'say whose the token is', signal }))
          .login
      } catch (error) {
        if (isRefusedWith(error, 403, 404)) return null // the token of an App is nobody's
        throw error
      }
    },
    async defaultBranch(signal) {
      const call = { method: 'GET', path: repository, reply: Repository, to: 'show the repository', signal } as const
      return (await http.call(call)).default_branch
    },
    async hasBranch(branch, signal) {
      try {
        const at = `${repository}/branches/${branchPath(branch)}`
        const { name: found } = await http.call({
          method: 'GET',
          path: at,
          reply: Type.Object({ name: Name }),
          to: 'show a branch',
          signal,
        })
        return found === branch
      } catch (error) {
        if (isRefusedWith(error, 404, 301)) return false // 301: it was renamed
        throw error
      }
    },
    async findByHead(branch, signal) {
      const found = await pulls({ head: `${owner}:${branch}` }, signal)
      return found.find(({ head, isOwn }) => head === branch && isOwn) ?? null
    },
    async findMarked(word, signal) {
      return (await pulls({}, signal)).find(isMarkedWith(word)) ?? null
    },
    async open({ head, base, title, body, isDraft }, signal) {
      const fields = { head, base, title, body, maintainer_can_modify: true }
      try {
        return await create({ ...fields, draft: isDraft }, signal)
      } catch (error) {
        // private repositories of some plans have none
        const hasNoDrafts = isRefusedWith(error, 422) && /draft/i.test(error.message)
        if (!isDraft || !hasNoDrafts) throw error
        return await create({ ...fields, draft: false }, signal)
      }
    },
    async update(number, { title, body }, signal) {
      const at = `${repository}/pulls${urlPath(number)}`
      await http.call({
        method: 'PATCH',
        path: at,
        body: { title, body },
        reply: Pull,
        to: 'change a pull request',
        signal,
      })
    },
    async look(number, signal) {
      const at = `${repository}/pulls${urlPath(number)}`
      return stateOf(await http.call({ method: 'GET', path: at, reply: PullState, to: 'show a pull request', signal }))
    },
    async close(number, signal) {
      const at = `${repository}/pulls${urlPath(number)}`
      const body = { state: 'closed' }
      await http.call({ method: 'PATCH', path: at, body, reply: Pull, to: 'close a pull request', signal })
    },
    async makeReady() {
      throw new ForgeRefusal(
        'The pull request is a draft, and the REST API of GitHub cannot change that.',
        'Press "Ready for review" on its page, then approve once more; or ask for features without "draft".',
        { status: null },
      )
    },
    async merge({ number, commit, message }, signal) {
      const [title = '', ...rest] = message.trim().split('\n')
      const { sha } = await http.call({
        method: 'PUT',
        path: `${repository}/pulls${urlPath(number)}/merge`,
        body: { sha: commit, commit_title: title, commit_message: rest.join('\n').trim(), merge_method: 'merge' },
        reply: Type.Object({ sha: MaybeCommit }),
        to: 'merge a pull request',
        signal,
      })
      return sha ?? null
    },
    async personNamed(login, signal) {
      if (!/^[A-Za-z0-9-]{1,39}$/.test(login)) return null
      try {
        const at = `/users${urlPath(login)}`
        return personOf(await http.call({ method: 'GET', path: at, reply: User, to: 'look a user up', signal }))
      } catch (error) {
        if (isRefusedWith(error, 404)) return null
        throw error
      }
    },
    teamNamed(named) {
      const { owner: organisation, name: slug } = ownerAndName(named)
      const isOfOwner = organisation.toLowerCase() === owner.toLowerCase() && /^[\w-]{1,100}$/.test(slug)
      return isOfOwner ? { id: slug.toLowerCase(), name: named, isTeam: true } : null
    },
    async authorOf(commit, signal) {
      try {
        const at = `${repository}/commits${urlPath(commit)}`
        const { author } = await http.call({ method: 'GET', path: at, reply: Commit, to: 'show a commit', signal })
        return author?.login === undefined ? null : personOf({ login: author.login })
      } catch (error) {
        if (isRefusedWith(error, 404, 422)) return null
        throw error
      }
    },
    async askReviewers(number, people, signal) {
      const asked: Person[] = []
      for (const person of people) {
        // one who may not, as the author of the request or a team without access, would refuse all of them
        try {
          await request(number, person, signal)
          asked.push(person)
        } catch (error) {
          if (!isRefusedWith(error, 403, 404, 422)) throw error
        }
      }
      return asked
    },
    async comments(number, signal) {
      const found = await pagesOf(PER_PAGE, page =>
        http.call({
          method: 'GET',
          path: `${repository}/issues${urlPath(number)}/comments`,
          query: { per_page: PER_PAGE, page },
          reply: Type.Array(Comment),
          to: 'list comments',
          signal,
        }),
      )
      return found.map(({ id, body, user }) => ({ id: String(id), body: body ?? '', author: user?.login ?? null }))
    },
    async addComment(number, body, signal) {
      const at = `${repository}/issues${urlPath(number)}/comments`
      await http.call({ method: 'POST', path: at, body: { body }, reply: Anything, to: 'comment', signal })
    },
    async updateComment(_number, id, body, signal) {
      const at = `${repository}/issues/comments${urlPath(id)}`
      await http.call({ method: 'PATCH', path: at, body: { body }, reply: Anything, to: 'change a comment', signal })
    },
  }
}
