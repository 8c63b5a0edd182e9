import type { EnvironmentInput } from '../../contract/environment.ts'
import type { Preparation } from '../pipeline.ts'
import { needSandbox, type SandboxProbe } from '../steps/request/need-sandbox.ts'

/** What checking a retry needs. */
interface EnvironmentPreparationDeps extends SandboxProbe {
  /** @throws {FaultlineError} PROJECT_NOT_FOUND, VALIDATION_FAILED */
  commitOf: (projectName: string, repository?: string) => Promise<unknown>
}

/** Checks the body of a job that is retried. */
export const prepareEnvironment = (
  deps: EnvironmentPreparationDeps,
): Preparation<EnvironmentInput, EnvironmentInput> => ({
  async complete(body) {
    await needSandbox(deps)
    await deps.commitOf(body.project_name, body.repository)
    return body
  },
})
