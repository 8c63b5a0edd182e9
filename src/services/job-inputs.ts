import type { Static, TSchema } from 'typebox'
import { FaultlineError } from '../core/errors.ts'
import type { JobType, JsonObject } from '../core/job.ts'
import { isProjectName, projectNameFrom } from '../core/project.ts'
import { createGlobTest } from '../indexer/path-globs.ts'
import type { Projects } from '../indexer/projects.ts'
import type { CallbackChoice } from '../pipelines/callback/callback-choice.ts'
import { checkRef } from '../repos/clone/refs.ts'
import type { Repos } from '../repos/repos.ts'
import { CloneBodySchema, type CloneBody, type CloneInput } from '../contract/project.ts'
import { ResolveBodySchema, type ResolveBody, type ResolveInput } from '../contract/resolution.ts'
import { CiLogBody, type CiLogInput } from '../contract/webhook.ts'

/**
 * A kind of request that makes jobs: what its body may hold, and what completes a body that fits to what the job keeps.
 */
export interface JobRequestKind<S extends TSchema = TSchema> {
  type: JobType
  schema: S
  /** Where requests of several kinds make jobs of one type: whether this is the body of such a job. */
  isFor?: (input: JsonObject) => boolean
  /** Fields that say the same in different ways: an override by one takes the place of the others. */
  oneOf?: readonly string[]
  /** Nothing has touched git or the disk, nothing was sent when it throws. */
  complete: (body: Static<S>) => Promise<JsonObject>
}

/** Checks bodies of requests and completes them to what their jobs keep. */
export interface JobInputs {
  /** The body of `POST /clone`. */
  clone(body: CloneBody): Promise<CloneInput>
  /** The body of `POST /webhooks/ci`. */
  ciLog(body: CiLogInput): Promise<CiLogInput>
  /** The body of a `POST /resolve` that is to become a job. */
  resolve(body: ResolveBody): Promise<ResolveInput>
  /**
   * The body of a retry: that of the earlier job with the overrides, checked like a new one.
   *
   * @param validate - Throws for a body that does not fit the schema.
   * @throws {FaultlineError} BAD_REQUEST for jobs that no request makes.
   */
  retry(
    type: JobType,
    input: JsonObject,
    overrides: JsonObject,
    validate: (schema: TSchema, body: JsonObject) => void,
  ): Promise<JsonObject>
}

export interface JobInputDeps {
  checkUrl: Repos['check']
  projects: Pick<Projects, 'needIndex' | 'canonicalName'>
  callback: CallbackChoice
  /** Further kinds of requests. */
  kinds?: readonly JobRequestKind[]
}

/** Where the fields of a body are known to the compiler. */
const kind = <S extends TSchema>(one: JobRequestKind<S>): JobRequestKind => one as unknown as JobRequestKind

function overridden(input: JsonObject, overrides: JsonObject, oneOf: readonly string[] = []): JsonObject {
  const isReplaced = oneOf.some(field => overrides[field] !== undefined)
  const kept = Object.entries(input).filter(([field]) => !(isReplaced && oneOf.includes(field)))
  return { ...Object.fromEntries(kept), ...overrides }
}

async function completeClone(
  body: CloneBody,
  checkUrl: Repos['check'],
  projects: Pick<Projects, 'canonicalName'>,
): Promise<CloneInput> {
  const { url: given, ssh_url: alias, project_name: wanted, ...rest } = body
  const address = given ?? alias
  if (address === undefined || (given !== undefined && alias !== undefined)) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      'Exactly one of url and ssh_url is needed.',
      'Send {"url": "https://…"}.',
    )
  }
  if (body.branch !== undefined) checkRef('branch', body.branch)
  if (body.ref !== undefined) checkRef('ref', body.ref)
  createGlobTest([...(body.include ?? []), ...(body.exclude ?? [])]) // throws for a glob that cannot be used
  const { repository, url } = await checkUrl(address)
  const name = wanted ?? projectNameFrom(repository)
  if (name === null || !isProjectName(name)) {
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `${JSON.stringify(name ?? repository)} cannot be the name of a project.`,
      'Send project_name: letters, digits, ".", "_" and "-", no reserved name.',
    )
  }
  return { ...rest, url, project_name: await projects.canonicalName(name) } satisfies CloneInput & JsonObject
}

export function createJobInputs({ checkUrl, projects, callback, kinds = [] }: JobInputDeps): JobInputs {
  async function ofProject<T extends { project_name: string; callback_url?: string }>(body: T): Promise<T> {
    callback.check(body.callback_url)
    const { projectName } = await projects.needIndex(body.project_name)
    return { ...body, project_name: projectName, ...(await callback.of(body)) }
  }

  const inputs: Omit<JobInputs, 'retry'> = {
    async clone(body) {
      callback.check(body.callback_url)
      const input = await completeClone(body, checkUrl, projects)
      return { ...input, ...(await callback.of(input)) }
    },
    ciLog: ofProject,
    async resolve({ dry_run: isDryRun = false, ...body }) {
      if (isDryRun) {
        throw new FaultlineError(
          'VALIDATION_FAILED',
          'A dry run makes no job.',
          'POST /resolve with dry_run, which answers at once.',
        )
      }
      return ofProject(body)
    },
  }

  // A pipeline whose jobs can be retried has its line here.
  const known: readonly JobRequestKind[] = [
    ...kinds,
    kind({ type: 'clone', schema: CloneBodySchema, oneOf: ['url', 'ssh_url'], complete: inputs.clone }),
    kind({ type: 'resolve', schema: CiLogBody, isFor: input => 'log' in input, complete: inputs.ciLog }),
    kind({ type: 'resolve', schema: ResolveBodySchema, complete: inputs.resolve }),
  ]

  return {
    ...inputs,
    async retry(type, input, overrides, validate) {
      const found = known.find(kind => kind.type === type && (kind.isFor?.(input) ?? true))
      if (found === undefined) throw new FaultlineError('BAD_REQUEST', `Jobs of type ${type} cannot be retried.`)
      const body = overridden(input, overrides, found.oneOf)
      validate(found.schema, body)
      return found.complete(body)
    },
  }
}
