import type { FeatureInput } from '../../contract/feature.ts'
import type { DialogueMessage } from '../../core/dialogue.ts'
import type { ProjectBase } from '../steps/base/project-base.ts'
import { chooseContext, renderContext, type ContextDeps } from '../task/context/gather.ts'
import { planDialogue } from './plan/make-plan.ts'
import { scopeRefusal, type FeatureRules } from './rules.ts'

/** What the planner is asked first, for `dry_run`. */
export async function firstFeatureDialogue(
  deps: ContextDeps,
  { request, max_retries: maxRetries }: FeatureInput,
  { base, at, refusal, rules }: ProjectBase & { rules: FeatureRules },
): Promise<DialogueMessage[]> {
  const { signal } = new AbortController()
  const selection = await chooseContext(deps, { base, at, description: request, signal })
  const overview = (await renderContext(deps, { base, selection })).text
  return planDialogue({ request, overview, rules, maxRetries, refusal: scopeRefusal(rules, refusal) })
}
