import { FaultlineError } from '../core/errors.ts'
import { createGenerationInputs, type GenerationInputDeps, type GenerationInputs } from './generation-inputs.ts'
import type { Projects } from '../indexer/projects.ts'
import { createGlobTest } from '../indexer/path-globs.ts'
import type { JobDefinitions } from '../jobs/job-definition.ts'
import type { Callbacks } from '../outbound/callbacks.ts'
import { createFixPipeline, type FixDeps } from '../pipelines/fix/run.ts'
import { createGeneratePipeline } from '../pipelines/generate/run.ts'
import { createImprovePipeline, type ImproveDeps } from '../pipelines/improve/run.ts'
import type { ResolveInput } from '../contract/resolution.ts'
import { createSelfHealPipeline } from '../pipelines/heal/run.ts'
import type { AskModel } from '../pipelines/steps/model/ask-model.ts'
import { createDiagnose, type DiagnoseDeps } from '../pipelines/steps/program/diagnose.ts'
import { withCallback } from '../pipelines/callback/with-callback.ts'
import type { Resolution } from '../core/resolution.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

/** What the pipelines that write code are made of. All of it is called when there are services. */
export interface GenerationParts extends DiagnoseDeps, Pick<ImproveDeps, 'git' | 'search'> {
  model: AskModel
  sandbox: Sandbox
  projects: Pick<Projects, 'commitOf' | 'settings' | 'needIndex'>
  resolve: (input: ResolveInput, hooks: { signal: AbortSignal }) => Promise<Resolution>
}

/** What pipelines need to work on projects. */
function onProjects({
  git,
  projects,
  search,
  resolve,
}: GenerationParts): Omit<ImproveDeps, 'model' | 'sandbox'> & Pick<FixDeps, 'locate'> {
  return {
    git,
    search,
    globTest: createGlobTest,
    commitOf: projects.commitOf,
    locate: ({ stacktrace, project_name: projectName }, signal) =>
      resolve({ stacktrace, project_name: projectName, mode: 'context' }, { signal }),
    async lintCommands(name) {
      const {
        checks: { lint, install },
      } = await projects.settings(name)
      if (lint === undefined) {
        throw new FaultlineError(
          'VALIDATION_FAILED',
          `The project ${JSON.stringify(name)} has no linter.`,
          `PATCH /projects/${name} {"checks": {"lint": "npx eslint --fix ."}}, or leave "lint" out.`,
        )
      }
      return install === undefined ? { lint } : { lint, install }
    },
  }
}

/** The jobs of the pipelines that write code. */
export function generationDefinitions(parts: GenerationParts, deliver: Callbacks['deliver']): JobDefinitions {
  const { model, sandbox } = parts
  const diagnose = createDiagnose(parts)
  const projects = onProjects(parts)
  return {
    generate: withCallback('generate', createGeneratePipeline({ model, sandbox, diagnose }), deliver),
    improve: withCallback('improve', createImprovePipeline({ model, sandbox, ...projects }), deliver),
    self_heal: withCallback('self_heal', createSelfHealPipeline({ model, sandbox, diagnose, ...projects }), deliver),
    fix: withCallback('fix', createFixPipeline({ model, sandbox, ...projects }), deliver),
  }
}

/** What their requests are checked with. */
export function generationInputs(
  parts: GenerationParts,
  rest: Pick<GenerationInputDeps, 'callback' | 'filesOfJob'>,
): GenerationInputs {
  const { model, projects, sandbox } = parts
  return createGenerationInputs({ ...onProjects(parts), model, projects, probeSandbox: () => sandbox.probe(), ...rest })
}
