import type { Static } from 'typebox'
import type { SelfHealBody, SelfHealInput } from '../../contract/generation.ts'
import { safePath } from '../../core/safe-path.ts'
import type { Preparation } from '../pipeline.ts'
import type { ProjectBaseDeps } from '../steps/base/project-base.ts'
import { ENTRYPOINT, entrypointNotFound } from '../steps/program/entrypoint.ts'
import { modelPreparation, type ModelPreparationDeps } from '../steps/request/model-preparation.ts'
import { filesNow, withSource, type SourceDeps } from '../steps/request/source.ts'

/** What checking a request to heal needs. */
type SelfHealPreparationDeps = ModelPreparationDeps & SourceDeps & ProjectBaseDeps

/** Checks the body of `POST /self-heal`. */
export function prepareSelfHeal(
  deps: SelfHealPreparationDeps,
): Required<Preparation<Static<typeof SelfHealBody>, SelfHealInput>> {
  return modelPreparation(deps, {
    async complete(body) {
      const input = await withSource(deps, body)
      const given = input.entrypoint ?? ENTRYPOINT
      const entrypoint = safePath(given) ?? given
      const { base } = await filesNow(deps, input)
      if (!(await base.paths()).includes(entrypoint)) throw entrypointNotFound(given)
      return { ...input, entrypoint }
    },
    needsSandbox: () => true,
    async dialogue(body) {
      const input = await withSource(deps, body)
      const { base } = await filesNow(deps, input)
      const { firstHealDialogue } = await import('./dialogue.ts') // as the job's body: with the first one
      return firstHealDialogue(input, base)
    },
  })
}
