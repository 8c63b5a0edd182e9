import type { Static } from 'typebox'
import type { BisectBody, BisectInput } from '../../contract/bisect.ts'
import type { Projects } from '../../indexer/projects.ts'
import type { CallbackChoice } from '../callback/callback-choice.ts'
import type { Preparation } from '../pipeline.ts'
import { needSandbox, type SandboxProbe } from '../steps/request/need-sandbox.ts'
import { withoutDryRun } from '../steps/request/no-dry-run.ts'
import type { RangeDeps } from './range.ts'

/** What checking a request to bisect needs. */
interface BisectPreparationDeps extends SandboxProbe, Pick<RangeDeps, 'commitOf'> {
  callback: CallbackChoice
  projects: Pick<Projects, 'needIndex'>
  /** @throws {FaultlineError} BAD_REF */
  checkRef: (kind: 'branch' | 'ref', name: string) => string
}

/** Checks the body of `POST /bisect`. */
export function prepareBisect(
  deps: BisectPreparationDeps,
): Required<Preparation<Static<typeof BisectBody>, BisectInput>> {
  async function checked(body: Omit<Static<typeof BisectBody>, 'dry_run'>): Promise<BisectInput> {
    deps.callback.check(body.callback_url)
    const { projectName } = await deps.projects.needIndex(body.project_name)
    await deps.commitOf(projectName, body.repository)
    const bad = body.bad === undefined ? {} : { bad: deps.checkRef('ref', body.bad) }
    return { ...body, project_name: projectName, good: deps.checkRef('ref', body.good), ...bad }
  }
  return {
    async complete(body) {
      const input = await checked(withoutDryRun(body))
      await needSandbox(deps)
      return { ...input, ...(await deps.callback.of(input)) }
    },
    async dryRun({ dry_run: _isDryRun, ...body }) {
      await checked(body)
      return { messages: [], tokens: 0, usd: 0 } // no model has a part in it
    },
  }
}
