import type { CloneBody, CloneInput } from '../../contract/project.ts'
import { FaultlineError } from '../../core/errors.ts'
import { isProjectName, projectNameFrom } from '../../core/project.ts'
import type { Projects } from '../../indexer/projects.ts'
import type { Repos, RepositoryUrl } from '../../repos/repos.ts'
import type { CallbackChoice } from '../callback/callback-choice.ts'
import type { Preparation } from '../pipeline.ts'

/** What checking a request to clone needs. */
export interface ClonePreparationDeps {
  callback: CallbackChoice
  projects: Pick<Projects, 'canonicalName'>
  /** @throws {FaultlineError} BAD_REPOSITORY_URL, ADDRESS_REFUSED, LOCAL_REPOSITORY_REFUSED */
  checkUrl: Repos['check']
  /** @throws {FaultlineError} BAD_REF */
  checkRef: (kind: 'branch' | 'ref', name: string) => void
  /** @throws {FaultlineError} VALIDATION_FAILED */
  globTest: (globs: string[]) => unknown
}

function addressOf({ url, ssh_url: alias }: CloneBody): string {
  const address = url ?? alias
  if (address !== undefined && (url === undefined || alias === undefined)) return address
  throw new FaultlineError(
    'VALIDATION_FAILED',
    'Exactly one of url and ssh_url is needed.',
    'Send {"url": "https://…"}.',
  )
}

/** @throws {FaultlineError} VALIDATION_FAILED: there is no work tree, or something else is asked for than it holds. */
function checkUncommitted({ uncommitted, branch, ref }: CloneBody, kind: RepositoryUrl['kind']): void {
  if (uncommitted !== true) return
  if (branch !== undefined || ref !== undefined) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      'What is not committed lies on top of the commit that is checked out: uncommitted excludes branch and ref.',
      'Leave out either.',
    )
  }
  if (kind !== 'local') {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      'Only a repository on the machine of the server can be read with what is not committed.',
      'Leave "uncommitted" out.',
    )
  }
}

function nameOf({ project_name: wanted }: CloneBody, repository: string): string {
  const name = wanted ?? projectNameFrom(repository)
  if (name !== null && isProjectName(name)) return name
  throw new FaultlineError(
    'VALIDATION_FAILED',
    `${JSON.stringify(name ?? repository)} cannot be the name of a project.`,
    'Send project_name: letters, digits, ".", "_" and "-", no reserved name.',
  )
}

/** Checks the body of `POST /clone`; it then has one address, and the name of its project. */
export function prepareClone(deps: ClonePreparationDeps): Preparation<CloneBody, CloneInput> {
  const { callback, projects, checkUrl, checkRef, globTest } = deps
  return {
    async complete(body) {
      callback.check(body.callback_url)
      const address = addressOf(body)
      if (body.branch !== undefined) checkRef('branch', body.branch)
      if (body.ref !== undefined) checkRef('ref', body.ref)
      globTest([...(body.include ?? []), ...(body.exclude ?? [])]) // throws for a glob that cannot be used
      const { repository, url, kind } = await checkUrl(address)
      checkUncommitted(body, kind)
      const name = nameOf(body, repository)
      const { url: _url, ssh_url: _alias, project_name: _wanted, ...rest } = body
      const input = { ...rest, url, project_name: await projects.canonicalName(name) }
      return { ...input, ...(await callback.of(input)) }
    },
  }
}
