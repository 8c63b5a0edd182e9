import type { ForgeKind } from '../core/forge-kind.ts'
import type { ReviewRequest } from './ask-reviewers.ts'
import type { CheckRuns } from './check-runs.ts'
import type { MergedRequest, RequestToMerge } from './settle-request.ts'
import type { DeliveredRequest, JoinEarlier, RequestToDeliver } from './deliver-request.ts'
import type { Person, RequestState } from './forge.ts'
import type { CommentOutcome, OneComment } from './one-comment.ts'

/** A repository of a project, where its forge is known. */
export interface ForgeSite {
  kind: ForgeKind
  /** As `GIT_TOKENS` names it. */
  host: string
  /** `owner/name`. */
  path: string
  /** The branch that the project follows; null for none. */
  branch: string | null
  /**
   * The page that shows a pushed branch and offers to open a request.
   *
   * @param base - Default: the branch that the project follows.
   */
  compareUrl(head: string, base?: string | null): string
  /** The page that shows a line of a file at a commit. */
  lineUrl(at: { commit: string; file: string; line: number }): string
  /** What can be done with a token; null without one. */
  requests: ForgeRequests | null
  /** Null without a GitHub App. */
  checkRuns: CheckRuns | null
}

/** What is done on a forge. Everything throws FORGE_REFUSED, and the signal's reason. */
export interface ForgeRequests {
  deliver(request: RequestToDeliver, join: JoinEarlier, signal: AbortSignal): Promise<DeliveredRequest>
  /** Closes a request that is open. @returns what it was before. */
  close(number: number, signal: AbortSignal): Promise<RequestState['is']>
  /** Merges a request that shows the commit; see `settle-request.ts`. */
  merge(request: RequestToMerge, signal: AbortSignal): Promise<MergedRequest>
  askForReview(
    request: ReviewRequest,
    readText: (path: string) => Promise<string | null>,
    signal: AbortSignal,
  ): Promise<Person[]>
  comment(comment: OneComment, signal: AbortSignal): Promise<CommentOutcome>
}

/** The forge of a project's repository; null where none is known, or where it is not on a forge. */
export type FindForge = (at: { projectName: string; repository: string }) => Promise<ForgeSite | null>
