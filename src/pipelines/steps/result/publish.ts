import { FaultlineError } from '../../../core/errors.ts'
import { commitMessage } from '../../../edits/write/commit-message.ts'
import type { FindForge, ForgeRequests, ForgeSite } from '../../../forges/forge-site.ts'
import type { JobContext } from '../../../jobs/job-context.ts'
import type { Repos } from '../../../repos/repos.ts'
import {
  diffSummary,
  faultWord,
  pullRequestBody,
  pullRequestTitle,
  type FaultEvidence,
  type PullRequestEvidence,
  type RunEvidence,
} from '../../../text/pull-request.ts'
import type { ProjectBase } from '../base/project-base.ts'

/** What pushing a branch and asking for its review needs. */
export interface PublishDeps {
  git: Pick<Repos, 'push' | 'joinBranch'> & {
    readText: (file: { repository: string; commit: string; path: string }) => Promise<string | null>
  }
  findForge: FindForge
}

/** What a change is for, and what speaks for it. */
export interface ChangeEvidence {
  /** Null for a change that somebody asked for in words. */
  fault: FaultEvidence | null
  runs: RunEvidence | null
  guards: PullRequestEvidence['guards']
}

/** A commit to be pushed, and what its pull request says. */
interface Publication extends ChangeEvidence, Pick<PullRequestEvidence, 'explanation' | 'diff' | 'leftOut'> {
  at: ProjectBase['at']
  made: { branch: string; commit: string }
  /** In whose words the commit says what it does. */
  prompt: string
  isDraft: boolean
  /** The branch that it is to be merged into; default: the one that the project follows. */
  base?: string
  /** What a feature is, for its request. */
  feature?: PullRequestEvidence['feature']
}

/** Where a change can be looked at; null where no page is known. */
type Published = { pullRequestUrl: string | null; compareUrl: string | null }

/** The same, with what only a job needs that goes on with the request. */
interface Requested {
  published: Published
  /** Of the request; null where there is none. */
  number: number | null
  /** Why the forge did not open one, although the branch is pushed; null where it did, or was not asked. */
  refusal: string | null
}

/** What a job has instead when it pushes nothing. */
export const NOT_PUBLISHED: Published = { pullRequestUrl: null, compareUrl: null }

const OUTCOMES = {
  opened: 'Opened the pull request',
  updated: 'Updated the pull request',
  joined: 'The earlier pull request for the same fault has the new commits',
  beside: 'The earlier pull request for the same fault has commits of others; its text tells of the new ones',
} as const

/** Puts the commit on the branch of an earlier request, unless that is not ours or holds commits of others. */
const joinEarlier =
  ({ git }: PublishDeps, { at, made, prompt }: Publication) =>
  async (branch: string, signal: AbortSignal): Promise<boolean> => {
    const { repository, projectName } = at
    const message = commitMessage(`${prompt}\n\nA newer fix of the same fault, in place of the earlier one.`)
    const date = Math.floor(Date.now() / 1000)
    try {
      await git.joinBranch({ repository, projectName, branch, commit: made.commit, message, date }, signal)
      await git.push({ repository, projectName, branch }, signal)
      return true
    } catch (error) {
      if (error instanceof FaultlineError && ['NOT_FOUND', 'PUSH_REJECTED'].includes(error.code)) return false
      throw error
    }
  }

function evidenceOf(job: Pick<JobContext, 'id'>, publication: Publication): PullRequestEvidence {
  const { at, prompt, fault, runs, guards, explanation, diff, leftOut, feature } = publication
  return {
    projectName: at.projectName,
    jobId: job.id,
    request: fault === null ? prompt : null,
    fault,
    explanation,
    baseCommit: at.commit,
    diff,
    runs,
    guards,
    leftOut,
    feature,
  }
}

/** Whoever could not be asked is no reason to fail: the request is there. */
async function askForReview(
  job: JobContext,
  deps: PublishDeps,
  requests: ForgeRequests,
  { number, publication }: { number: number; publication: Publication },
): Promise<void> {
  const { at, diff, fault } = publication
  const request = {
    number,
    paths: diffSummary(diff).map(({ path }) => path),
    commits: fault?.suspects.map(({ commit }) => commit) ?? [],
  }
  await job.step('pull_request.reviewers', async signal => {
    try {
      const readText = (path: string) => deps.git.readText({ repository: at.repository, commit: at.commit, path })
      const asked = await requests.askForReview(request, readText, signal)
      if (asked.length > 0) job.log(`Asked ${asked.map(({ name }) => name).join(', ')} for a review.`)
    } catch (error) {
      if (!(error instanceof FaultlineError)) throw error
      job.log(`Nobody was asked for a review: ${error.message}`)
    }
    return null
  })
}

/** Asks for one pull request for the branch, in a step; what the forge refuses is told or thrown. */
async function deliverRequest(
  job: JobContext,
  deps: PublishDeps,
  { requests, base, publication }: { requests: ForgeRequests; base: string | null; publication: Publication },
  tellsRefusal: boolean,
): Promise<{ url: string; number: number } | { refusal: string }> {
  const { at, made, prompt, isDraft, fault } = publication
  return job.step('pull_request', async signal => {
    const [subject = ''] = commitMessage(prompt).split('\n')
    const fingerprint = fault?.fingerprint ?? null
    const request = {
      head: made.branch,
      base,
      title: pullRequestTitle(subject),
      body: pullRequestBody(evidenceOf(job, publication)),
      isDraft,
      word: fingerprint === null ? null : faultWord(at.projectName, fingerprint),
    }
    try {
      const { url, number, outcome } = await requests.deliver(request, joinEarlier(deps, publication), signal)
      job.log(`${OUTCOMES[outcome]}: ${url}`)
      return { url, number }
    } catch (error) {
      if (!tellsRefusal || !(error instanceof FaultlineError) || error.code !== 'FORGE_REFUSED') throw error
      return { refusal: `${error.message} ${error.fix ?? ''}`.trim() }
    }
  })
}

const NO_REQUEST = { url: null, number: null, refusal: null }

/** One pull request for the branch, where there is a token. */
async function requestReview(
  job: JobContext,
  deps: PublishDeps,
  { site, publication }: { site: ForgeSite; publication: Publication },
  tellsRefusal: boolean,
): Promise<{ url: string | null; number: number | null; refusal: string | null }> {
  const { requests, host } = site
  const { made, base = site.branch } = publication
  if (requests === null) {
    job.log(`GIT_TOKENS has no token for ${host}: open the pull request at ${site.compareUrl(made.branch, base)}`)
    return NO_REQUEST
  }
  const delivered = await deliverRequest(job, deps, { requests, base, publication }, tellsRefusal)
  if ('refusal' in delivered) return { ...NO_REQUEST, refusal: delivered.refusal }
  await askForReview(job, deps, requests, { number: delivered.number, publication })
  return { ...delivered, refusal: null }
}

/** Asks for the review of a branch that is pushed; see `publish`. */
async function request(
  job: JobContext,
  deps: PublishDeps,
  publication: Publication,
  tellsRefusal: boolean,
): Promise<Requested> {
  const { at, made, base } = publication
  const site = await deps.findForge({ projectName: at.projectName, repository: at.repository })
  if (site === null) return { published: NOT_PUBLISHED, number: null, refusal: null }
  const { url, number, refusal } = await requestReview(job, deps, { site, publication }, tellsRefusal)
  return { published: { pullRequestUrl: url, compareUrl: site.compareUrl(made.branch, base) }, number, refusal }
}

/**
 * Sees to it that one open pull request shows what a pushed branch holds, as `publish` does; what the forge refuses is
 * told, so that the job can go on and try again.
 */
export const requestPublished = (job: JobContext, deps: PublishDeps, publication: Publication): Promise<Requested> =>
  request(job, deps, publication, true)

/**
 * Pushes the branch of a job, and sees to it that one open pull request shows what it holds: its own, or the earlier
 * one for the same fault. Without a token for the forge, or where no forge is known, the branch alone is pushed.
 *
 * @throws {FaultlineError} PUSH_REJECTED and what else a remote may answer; FORGE_REFUSED: the branch is pushed by
 * then, and a retry goes on from the step `pull_request`.
 */
export async function publish(job: JobContext, deps: PublishDeps, publication: Publication): Promise<Published> {
  const { at, made } = publication
  const { repository, projectName } = at
  await job.step('push', async signal => {
    // of the previous job, where a retry goes on from here
    await deps.git.push({ repository, projectName, branch: made.branch }, signal)
    job.log(`Pushed the branch ${made.branch}.`)
    return null
  })
  return (await request(job, deps, publication, false)).published
}
