import { ResolutionSchema } from '../../contract/resolution.ts'
import type { CiLogInput } from '../../contract/webhook.ts'
import { toWire } from '../../contract/wire.ts'
import { FaultlineError } from '../../core/errors.ts'
import type { Resolution } from '../../core/resolution.ts'
import type { FindForge, ForgeRequests, ForgeSite } from '../../forges/forge-site.ts'
import type { CheckRuns } from '../../forges/check-runs.ts'
import type { JobContext } from '../../jobs/job-context.ts'
import { checkRunText } from '../../text/ci/check-run.ts'
import { ciComment, commentMarker } from '../../text/ci/comment.ts'
import type { CiReport } from '../../text/ci/finding.ts'

/** What telling a forge of a CI run needs. */
export interface TellForgeDeps {
  findForge: FindForge
  /** The repositories of a project, and whether its pull requests are commented on. */
  sourcesOf: (projectName: string) => Promise<{
    repositories: ReadonlyArray<{ repository: string; url: string }>
    ciComments: boolean
  }>
}

/** What was found in a log. */
interface FoundFaults {
  resolutions: readonly Resolution[]
  /** Faults of the log that are not among them. */
  left: number
  /** Whether the code was read at the commit that CI ran. */
  isAtCommit: boolean
}

type Told = Pick<JobContext, 'step' | 'log' | 'id'>

/** Does a step whose failure costs nothing but itself: what was found is kept. */
async function triedStep(job: Told, name: string, work: (signal: AbortSignal) => Promise<string>): Promise<void> {
  await job.step(name, async signal => {
    try {
      job.log(await work(signal))
    } catch (error) {
      if (!(error instanceof FaultlineError) || error.code !== 'FORGE_REFUSED') throw error
      job.log(`${error.message} ${error.fix ?? ''}`.trim())
    }
    return null
  })
}

const COMMENTED = {
  written: (number: number) => `Commented on the pull request ${number}.`,
  updated: (number: number) => `Changed the comment on the pull request ${number}.`,
  unchanged: (number: number) => `The comment on the pull request ${number} says the same already.`,
  none: (number: number) => `The pull request ${number} has no comment, as no fault was found.`,
} as const

async function comment(job: Told, requests: ForgeRequests, { report, number }: { report: CiReport; number: number }) {
  await triedStep(job, 'comment', async signal => {
    const isNews = report.resolutions.length > 0
    const text = { number, marker: commentMarker(report.projectName), body: ciComment(report), isNews }
    return COMMENTED[await requests.comment(text, signal)](number)
  })
}

async function check(job: Told, checkRuns: CheckRuns, { report, commit }: { report: CiReport; commit: string }) {
  await triedStep(job, 'check_run', async signal => {
    const url = await checkRuns.write({ commit, externalId: job.id, ...checkRunText(report) }, signal)
    return `Wrote the check run ${url}`.trim()
  })
}

/** The only repository of a project, or the one that all faults with code of the project lie in. */
function repositoryOf(
  repositories: ReadonlyArray<{ repository: string }>,
  resolutions: readonly Resolution[],
): string | null {
  const [only, ...others] = repositories
  if (only !== undefined && others.length === 0) return only.repository
  const named = new Set(resolutions.flatMap(({ frames }) => frames.flatMap(({ repository }) => repository ?? [])))
  const [first] = named
  return first !== undefined && named.size === 1 ? first : null
}

/**
 * Tells the forge what was found in the log of a CI run: one comment on the pull request that the post names, and a
 * check run on its commit where a GitHub App is configured. What a forge refuses is an event of the job, no failure.
 */
export async function tellForge(
  job: Told,
  { findForge, sourcesOf }: TellForgeDeps,
  { project_name: projectName, pull_request: number, commit }: CiLogInput,
  { resolutions, left, isAtCommit }: FoundFaults,
): Promise<void> {
  if (number === undefined && commit === undefined) return
  const { repositories, ciComments } = await sourcesOf(projectName)
  const repository = repositoryOf(repositories, resolutions)
  const site: ForgeSite | null = repository === null ? null : await findForge({ projectName, repository })
  if (site === null) {
    if (number !== undefined) job.log('No comment is written: it is not known which forge and repository is meant.')
    return
  }
  const faults = resolutions.filter(({ exceptions }) => exceptions.length > 0) // one without says that there is none
  const answers = faults.map(resolution => toWire(ResolutionSchema, resolution))
  const report: CiReport = { projectName, resolutions: answers, left, repositories: [...repositories] }
  if (number !== undefined && ciComments) {
    if (site.requests === null) job.log(`No comment is written: GIT_TOKENS has no token for ${site.host}.`)
    else await comment(job, site.requests, { report, number })
  }
  const [first] = resolutions
  if (site.checkRuns !== null && isAtCommit && first !== undefined && commit !== undefined) {
    await check(job, site.checkRuns, { report, commit: first.commit })
  }
}
