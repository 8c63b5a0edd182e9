import type { FixInput } from '../../contract/generation.ts'
import type { FixResult, ProgramRun, Verification } from '../../contract/generation-results.ts'
import { SuspectsSchema } from '../../contract/resolution.ts'
import { toWire } from '../../contract/wire.ts'
import type { JsonObject } from '../../core/job.ts'
import type { OutlineFile } from '../../edits/parts/units/units-of.ts'
import type { JobDefinition } from '../../jobs/job-definition.ts'
import type { AskModel } from '../steps/model/ask-model.ts'
import { NO_CHANGES, type Changes } from '../steps/base/base-files.ts'
import type { DeliverDeps } from '../steps/result/deliver.ts'
import { createPhases } from '../steps/phases.ts'
import { projectBase, type ProjectBase, type ProjectBaseDeps } from '../steps/base/project-base.ts'
import { propose } from '../steps/result/propose.ts'
import { runProgram, type RunDeps } from '../steps/program/run-program.ts'
import { readStoredBody } from '../steps/stored-body.ts'
import { FIX_REQUEST } from './body.ts'
import { faultIn, requestOf, type LocateDeps, type LocatedFault } from './dialogue.ts'

/** What fixing needs. */
interface FixDeps extends Omit<ProjectBaseDeps, 'git'>, LocateDeps {
  model: AskModel
  outline: OutlineFile
  sandbox: RunDeps
  git: ProjectBaseDeps['git'] & DeliverDeps['git']
}

const MAX_REFINEMENTS = 3

/**
 * What two runs of one command say of a change: `verified` when it failed before and passes now, `partially_verified`
 * when it passes before and after, so that nothing broke and nothing was shown to be mended. Exit codes alone count.
 */
export function verificationOf(
  baseline: Pick<ProgramRun, 'exitCode'> | null,
  after: Pick<ProgramRun, 'exitCode'> | null,
): Verification {
  if (baseline === null || after === null || after.exitCode !== 0) return 'unverified'
  return baseline.exitCode === 0 ? 'partially_verified' : 'verified'
}

const subjectOf = ({ error }: LocatedFault): string => `Fix ${error === '' ? 'the reported failure' : error}`

/** A fix stays in the code that the trace led to; other files have to be named by the person who asks. */
function onlyShown(
  { refusal }: ProjectBase,
  shown: readonly string[],
  isAllowed: (path: string) => boolean,
): ProjectBase['refusal'] {
  const known = new Set(shown)
  return async path => {
    const refused = await refusal(path)
    if (refused !== null || known.has(path) || isAllowed(path)) return refused
    return `${path} is not among the files that were shown, and a fix may only change those; allow_paths can name it.`
  }
}

const readInput = (input: JsonObject): FixInput =>
  readStoredBody(input, { type: FIX_REQUEST.type, url: FIX_REQUEST.route.url, texts: ['stacktrace', 'project_name'] })

/**
 * From a stack trace to a checked change on a branch: the code behind it, a change of that code alone, and a command
 * that tells whether it helped.
 */
export function createFixPipeline(deps: FixDeps): JobDefinition {
  const { sandbox } = deps
  return {
    projectName: input => readInput(input).project_name,
    exclusiveKey: () => null,
    consumes: {
      base: ['project_name', 'repository'],
      resolve: ['stacktrace'],
      baseline: ['verify'],
      improve: ['model', 'temperature', 'allow_paths'],
    },
    async run(job) {
      const input = readInput(job.input)
      const { verify, review: whether = 'ask' } = input
      const enter = createPhases(job, [
        'resolve',
        ...(verify === undefined ? [] : ['baseline']),
        'improve',
        ...(verify === undefined ? [] : ['verify']),
        'review_changes',
        'commit',
      ])
      enter('resolve', 'finding the code behind the trace')
      const project = await projectBase(job, deps, {
        projectName: input.project_name,
        repository: input.repository,
        allowPaths: input.allow_paths,
      })
      const { base, at } = project
      const located = await job.step('resolve', async signal =>
        faultIn(
          await deps.locate(input, { signal, onSuspects: found => job.suspects(toWire(SuspectsSchema, found)) }),
          at.repository,
        ),
      )

      const run = (step: string, changes: Changes): Promise<ProgramRun> | null =>
        verify === undefined
          ? null
          : job.step(step, () =>
              runProgram(job, sandbox, { argv: ['/bin/bash', '-c', verify.command], base, changes, network: 'none' }),
            )
      if (verify !== undefined) enter('baseline', 'running the command before the change')
      const baseline = await run('baseline', NO_CHANGES)

      const { result, checks } = await propose(job, deps, {
        at,
        improve: {
          base,
          changes: NO_CHANGES,
          shown: located.paths,
          request: requestOf(input, located),
          outline: deps.outline,
          asked: '',
          maxRefinements: input.max_refinements ?? MAX_REFINEMENTS,
          refusal: onlyShown(project, located.paths, deps.globTest(input.allow_paths ?? [])),
          model: input.model,
          temperature: input.temperature,
        },
        prompt: subjectOf(located),
        push: input.push,
        allowPartial: input.allow_partial === true,
        async check(changes) {
          if (verify !== undefined) enter('verify', 'running the command after the change')
          const after = await run('verify', changes)
          return { verification: verificationOf(baseline, after), after }
        },
        whether,
        enter,
      })
      return {
        ...result,
        resolution: { id: located.id, frames: located.frames },
        ...checks,
        baseline,
      } satisfies FixResult
    },
  }
}
