import type { ForgeKind } from '../core/forge-kind.ts'

/** A pull request, or what GitLab calls a merge request. */
export interface PullRequest {
  number: number
  /** Its page. */
  url: string
  /** The branch with the changes. */
  head: string
  /** The branch that they are for. */
  base: string
  title: string
  body: string
  /** Whether its branch is one of the repository itself, not of a fork. */
  isOwn: boolean
}

/** What a pull request is opened with. */
export interface NewPullRequest {
  head: string
  base: string
  title: string
  body: string
  isDraft: boolean
}

/** Where a pull request stands. */
export interface RequestState {
  is: 'open' | 'merged' | 'closed'
  isDraft: boolean
  title: string
  /** The commit that it shows, which some forges shorten; null where the forge does not say. */
  head: string | null
  /** Null where it is not merged, or the forge does not say. */
  mergeCommit: string | null
}

/** Somebody whom a forge knows, or a team. */
export interface Person {
  /** By what its API names them. */
  id: string
  /** What its pages call them. */
  name: string
  isTeam?: boolean
}

/** A comment on a pull request. */
export interface ForgeComment {
  id: string
  body: string
  /** `Person.id` of who wrote it; null where the forge does not say. */
  author: string | null
}

/**
 * One repository of a forge, seen with a token. What a forge answers is checked before it is believed.
 *
 * Every call throws FORGE_REFUSED with the host, the status and what to do next, and the signal's reason when it fires.
 */
export interface Forge {
  readonly kind: ForgeKind
  /** Whether `merge` refuses a request that shows another commit; the API of Bitbucket takes none to compare. */
  readonly mergesShown: boolean
  /** Whoever the token belongs to; null where the token may not ask. */
  me(signal: AbortSignal): Promise<string | null>
  /** The branch that a clone checks out. */
  defaultBranch(signal: AbortSignal): Promise<string>
  hasBranch(name: string, signal: AbortSignal): Promise<boolean>
  /** The open request whose changes are on a branch of the repository itself; null where there is none. */
  findByHead(branch: string, signal: AbortSignal): Promise<PullRequest | null>
  /** The oldest open request, from a branch that we made in the repository itself, whose text holds a word. */
  findMarked(word: string, signal: AbortSignal): Promise<PullRequest | null>
  /** Opens a request; as no draft where the forge has none, which `isDraft` of the answer tells. */
  open(request: NewPullRequest, signal: AbortSignal): Promise<PullRequest>
  update(number: number, text: { title: string; body: string }, signal: AbortSignal): Promise<void>
  look(number: number, signal: AbortSignal): Promise<RequestState>
  /** Closes an open request without merging it. */
  close(number: number, signal: AbortSignal): Promise<void>
  /** Makes a draft one that may be merged. Throws also where only a person can do that. */
  makeReady(number: number, title: string, signal: AbortSignal): Promise<void>
  /** Merges an open request that shows the commit. @returns the merge commit; null where the forge does not tell. */
  merge(request: { number: number; commit: string; message: string }, signal: AbortSignal): Promise<string | null>
  /** Somebody by the name that an owner in CODEOWNERS has there; null where the forge knows nobody of that name. */
  personNamed(name: string, signal: AbortSignal): Promise<Person | null>
  /** A team by such a name, as `acme/core`; null where the forge asks no teams, or it is not of the owner there. */
  teamNamed(name: string): Person | null
  /** Who wrote a commit; null where the forge cannot tell. */
  authorOf(commit: string, signal: AbortSignal): Promise<Person | null>
  /** Asks people and teams to look at a request. @returns those whom the forge took. */
  askReviewers(number: number, people: readonly Person[], signal: AbortSignal): Promise<Person[]>
  /** Comments on a request, oldest first; of very many the first. */
  comments(number: number, signal: AbortSignal): Promise<ForgeComment[]>
  addComment(number: number, body: string, signal: AbortSignal): Promise<void>
  updateComment(number: number, id: string, body: string, signal: AbortSignal): Promise<void>
}
