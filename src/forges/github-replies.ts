import type { Static } from 'typebox'
import { Type } from '../core/type.ts'
import type { Person, PullRequest, RequestState } from './forge.ts'
import { Id, MaybeCommit, MaybeFlag, MaybeText, Name, PageUrl, Text } from './replies.ts'

/** Somebody, as GitHub and Gitea, whose API follows GitHub's, answer. */
export const User = Type.Object({ login: Name })
/** A repository. */
export const Repository = Type.Object({ default_branch: Name })
/** A pull request; its head has no repository where that was deleted. */
export const Pull = Type.Object({
  number: Id,
  html_url: PageUrl,
  title: Text,
  body: MaybeText,
  head: Type.Object({
    ref: Name,
    repo: Type.Optional(Type.Union([Type.Object({ full_name: Name }), Type.Null()])),
  }),
  base: Type.Object({ ref: Name }),
})
/** Where a pull request stands. */
export const PullState = Type.Object({
  state: Type.Enum(['open', 'closed']),
  merged: MaybeFlag,
  merge_commit_sha: MaybeCommit,
  draft: MaybeFlag,
  title: Text,
  head: Type.Object({ sha: MaybeCommit }),
})
/** The commit of a merge: of an open request some forges tell that of a trial. */
export const onlyMerged = (is: RequestState['is'], commit: string | null | undefined): string | null =>
  is === 'merged' && commit !== undefined ? commit : null
/** The same in our words. */
export const stateOf = ({ state, merged, merge_commit_sha: merge, draft, title, head }: Static<typeof PullState>) => {
  const isMerged = merged === true
  const is: RequestState['is'] = isMerged ? 'merged' : state
  return { is, isDraft: draft === true, title, head: head.sha ?? null, mergeCommit: onlyMerged(is, merge) }
}
/** A comment below a pull request. */
export const Comment = Type.Object({
  id: Id,
  body: MaybeText,
  user: Type.Optional(Type.Union([User, Type.Null()])),
})

/** A user in our words. */
export const personOf = ({ login }: { login: string }): Person => ({ id: login, name: login })

/** Puts pull requests into our words; they are the repository's own where their head is in the one at this path. */
export const pullRequestsOf =
  (path: string) =>
  ({ number, html_url: url, title, body, head, base }: Static<typeof Pull>): PullRequest => ({
    number,
    url,
    title,
    body: body ?? '',
    head: head.ref,
    base: base.ref,
    isOwn: head.repo?.full_name.toLowerCase() === path.toLowerCase(),
  })
