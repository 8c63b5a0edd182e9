import { Type } from '../core/type.ts'
import { branchPath, isMarkedWith, ownerAndName, readPages, urlPath, type ForgeAccess } from './forge-access.ts'
import type { Forge, Person, PullRequest, RequestState } from './forge.ts'
import { Comment, personOf, Pull, pullRequestsOf, PullState, Repository, stateOf, User } from './github-replies.ts'
import { isRefusedWith } from './forge-refusal.ts'
import { Anything, Name } from './replies.ts'

const Commit = Type.Object({ author: Type.Optional(Type.Union([User, Type.Null()])) })

const PER_PAGE = 50
/** By its title a request is one that is not to be merged. */
const DRAFT = 'WIP: '
/** As a server may be configured to read it. */
const DRAFT_TITLE = /^(?:WIP:|\[WIP\]|Draft:)\s*/i

/** The REST API of Gitea and Forgejo, version 1. */
export function createGitea({ http, path }: ForgeAccess): Forge {
  const { owner, name } = ownerAndName(path)
  const repository = `/repos${urlPath(owner, name)}`

  const requestOf = pullRequestsOf(path)

  async function pulls(signal: AbortSignal): Promise<PullRequest[]> {
    let fullPage = 0 // MAX_RESPONSE_ITEMS of the server may be less than what is asked for
    const found = await readPages(async page => {
      const entries = await http.call({
        method: 'GET',
        path: `${repository}/pulls`,
        query: { state: 'open', sort: 'oldest', limit: PER_PAGE, page },
        reply: Type.Array(Pull),
        to: 'list pull requests',
        signal,
      })
      fullPage = Math.max(fullPage, entries.length)
      return { entries, isLast: entries.length === 0 || entries.length < fullPage }
    })
    return found.map(requestOf)
  }

  async function look(number: number, signal: AbortSignal): Promise<RequestState> {
    const at = `${repository}/pulls${urlPath(number)}`
    const found = stateOf(
      await http.call({ method: 'GET', path: at, reply: PullState, to: 'show a pull request', signal }),
    )
    return { ...found, isDraft: found.isDraft || DRAFT_TITLE.test(found.title) }
  }

  return {
    kind: 'gitea',
    mergesShown: true,
    async me(signal) {
      try {
        return (await http.call({ method: 'GET', path: '/user', reply: User, to: 'say whose the token is', signal }))
          .login
      } catch (error) {
        if (isRefusedWith(error, 403, 404)) return null // a token without read:user
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
        await http.call({ method: 'GET', path: at, reply: Type.Object({ name: Name }), to: 'show a branch', signal })
        return true
      } catch (error) {
        if (isRefusedWith(error, 404)) return false
        throw error
      }
    },
    async findByHead(branch, signal) {
      return (await pulls(signal)).find(({ head, isOwn }) => head === branch && isOwn) ?? null
    },
    async findMarked(word, signal) {
      return (await pulls(signal)).find(isMarkedWith(word)) ?? null
    },
    async open({ head, base, title, body, isDraft }, signal) {
      const made = await http.call({
        method: 'POST',
        path: `${repository}/pulls`,
        body: { head, base, title: isDraft ? `${DRAFT}${title}` : title, body },
        reply: Pull,
        to: 'open a pull request',
        signal,
      })
      return requestOf(made)
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
    look,
    async close(number, signal) {
      const at = `${repository}/pulls${urlPath(number)}`
      const body = { state: 'closed' }
      await http.call({ method: 'PATCH', path: at, body, reply: Pull, to: 'close a pull request', signal })
    },
    async makeReady(number, title, signal) {
      const at = `${repository}/pulls${urlPath(number)}`
      const body = { title: title.replace(DRAFT_TITLE, '') }
      await http.call({ method: 'PATCH', path: at, body, reply: Pull, to: 'change a pull request', signal })
    },
    async merge({ number, commit, message }, signal) {
      const [title = '', ...rest] = message.trim().split('\n')
      await http.call({
        method: 'POST',
        path: `${repository}/pulls${urlPath(number)}/merge`,
        body: {
          Do: 'merge',
          head_commit_id: commit,
          MergeTitleField: title,
          MergeMessageField: rest.join('\n').trim(),
        },
        reply: Anything,
        to: 'merge a pull request',
        signal,
      })
      return (await look(number, signal)).mergeCommit
    },
    async personNamed(login, signal) {
      try {
        const at = `/users${urlPath(login)}`
        return personOf(await http.call({ method: 'GET', path: at, reply: User, to: 'look a user up', signal }))
      } catch (error) {
        if (isRefusedWith(error, 403, 404)) return null
        throw error
      }
    },
    teamNamed() {
      return null // it asks the teams in its CODEOWNERS itself
    },
    async authorOf(commit, signal) {
      try {
        const at = `${repository}/git/commits${urlPath(commit)}`
        const { author } = await http.call({ method: 'GET', path: at, reply: Commit, to: 'show a commit', signal })
        return author === undefined || author === null ? null : personOf(author)
      } catch (error) {
        if (isRefusedWith(error, 404, 422)) return null
        throw error
      }
    },
    async askReviewers(number, people, signal) {
      const asked: Person[] = []
      for (const person of people) {
        // one who may not would refuse all of them
        try {
          const at = `${repository}/pulls${urlPath(number)}/requested_reviewers`
          const body = { reviewers: [person.id] }
          await http.call({ method: 'POST', path: at, body, reply: Anything, to: 'ask for a review', signal })
          asked.push(person)
        } catch (error) {
          if (!isRefusedWith(error, 403, 404, 422)) throw error
        }
      }
      return asked
    },
    async comments(number, signal) {
      const at = `${repository}/issues${urlPath(number)}/comments`
      const found = await http.call({
        method: 'GET',
        path: at,
        reply: Type.Array(Comment),
        to: 'list comments',
        signal,
      })
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
