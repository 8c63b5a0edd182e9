import type { Static } from 'typebox'
import type { SelfHealBody, SelfHealInput } from '../../contract/generation.ts'
import { safePath } from '../../core/safe-path.ts'
import type { CallbackChoice } from '../callback/callback-choice.ts'
import type { Preparation } from '../pipeline.ts'
import type { ProjectBaseDeps } from '../steps/base/project-base.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import { ENTRYPOINT, entrypointNotFound } from '../steps/program/entrypoint.ts'
import { needSandbox, type SandboxProbe } from '../steps/request/need-sandbox.ts'
import { withoutDryRun } from '../steps/request/no-dry-run.ts'
import { filesNow, withSource, type SourceDeps } from '../steps/request/source.ts'
import { firstHealDialogue } from './dialogue.ts'

/** What checking a request to heal needs. */
export interface SelfHealPreparationDeps extends SandboxProbe, SourceDeps, ProjectBaseDeps {
  model: Pick<AskModel, 'needModel' | 'estimate'>
  callback: CallbackChoice
}

/** Checks the body of `POST /self-heal`. */
export function prepareSelfHeal(
  deps: SelfHealPreparationDeps,
): Required<Preparation<Static<typeof SelfHealBody>, SelfHealInput>> {
  const { model, callback } = deps
  return {
    async complete(body) {
      const sent = withoutDryRun(body)
      callback.check(sent.callback_url)
      const input = await withSource(deps, sent)
      const given = input.entrypoint ?? ENTRYPOINT
      const entrypoint = safePath(given) ?? given
      const { base } = await filesNow(deps, input)
      if (!(await base.paths()).includes(entrypoint)) throw entrypointNotFound(given)
      model.needModel()
      await needSandbox(deps)
      return { ...input, entrypoint }
    },
    async dryRun(body) {
      const input = await withSource(deps, body)
      const { base } = await filesNow(deps, input)
      return model.estimate({ messages: await firstHealDialogue(input, base), model: body.model })
    },
  }
}
