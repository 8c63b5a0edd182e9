import { FaultlineError } from './core/errors.ts'
import type { JsonObject } from './core/job.ts'
import { isProjectName, projectNameFrom } from './core/project.ts'
import { createGlobTest } from './indexer/path-globs.ts'
import type { Projects } from './indexer/projects.ts'
import type { CallbackChoice } from './pipelines/callback-choice.ts'
import type { CiLogInput } from './pipelines/ci-log.ts'
import type { CloneInput } from './pipelines/clone.ts'
import type { ResolveInput } from './pipelines/resolve.ts'
import { checkRef } from './repos/refs.ts'
import type { Repos } from './repos/repos.ts'

export interface CloneBody { url?: string, ssh_url?: string, project_name?: string, branch?: string, ref?: string, include?: string[], exclude?: string[], callback_url?: string }

/** Checks bodies of requests and completes them to what their jobs keep. Nothing has touched git or the disk, nothing was sent when one throws. */
export interface JobInputs {
  /** The body of `POST /clone`. */
  clone (body: CloneBody): Promise<CloneInput>
  /** The body of `POST /webhooks/ci`. */
  ciLog (body: CiLogInput): Promise<CiLogInput>
  /** The body of a `POST /resolve` that is to become a job. */
  resolve (body: ResolveInput & { dry_run?: boolean }): Promise<ResolveInput>
}

export interface JobInputDeps {
  checkUrl: Repos['check']
  projects: Pick<Projects, 'needIndex' | 'canonicalName'>
  callback: CallbackChoice
}

export function createJobInputs ({ checkUrl, projects, callback }: JobInputDeps): JobInputs {
  async function ofProject<T extends { project_name: string, callback_url?: string }> (body: T): Promise<T> {
    callback.check(body.callback_url)
    const { projectName } = await projects.needIndex(body.project_name)
    return { ...body, project_name: projectName, ...await callback.of(body) }
  }

  return {
    async clone (body) {
      callback.check(body.callback_url)
      const input = await completeClone(body, checkUrl, projects)
      return { ...input, ...await callback.of(input) }
    },
    ciLog: ofProject,
    async resolve ({ dry_run: isDryRun = false, ...body }) {
      if (isDryRun) throw new FaultlineError('VALIDATION_FAILED', 'A dry run makes no job.', 'POST /resolve with dry_run, which answers at once.')
      return ofProject(body)
    },
  }
}

async function completeClone (body: CloneBody, checkUrl: Repos['check'], projects: Pick<Projects, 'canonicalName'>): Promise<CloneInput> {
  const { url: given, ssh_url: alias, project_name: wanted, ...rest } = body
  const address = given ?? alias
  if (address === undefined || (given !== undefined && alias !== undefined)) {
    throw new FaultlineError('VALIDATION_FAILED', 'Exactly one of url and ssh_url is needed.', 'Send {"url": "https://…"}.')
  }
  if (body.branch !== undefined) checkRef('branch', body.branch)
  if (body.ref !== undefined) checkRef('ref', body.ref)
  createGlobTest([...body.include ?? [], ...body.exclude ?? []]) // throws for a glob that cannot be used
  const { repository, url } = await checkUrl(address)
  const name = wanted ?? projectNameFrom(repository)
  if (name === null || !isProjectName(name)) {
    throw new FaultlineError('VALIDATION_FAILED', `${JSON.stringify(name ?? repository)} cannot be the name of a project.`, 'Send project_name: letters, digits, ".", "_" and "-", no reserved name.')
  }
  return { ...rest, url, project_name: await projects.canonicalName(name) } satisfies CloneInput & JsonObject
}
