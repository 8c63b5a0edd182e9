import type { TSchema } from 'typebox'
import { FaultlineError } from './core/errors.ts'
import { isTerminal, type Job, type JobType, type JsonObject } from './core/job.ts'
import { checkSentFiles } from './core/sent-files.ts'
import { createGlobTest } from './indexer/path-globs.ts'
import type { Projects } from './indexer/projects.ts'
import type { JobRequestKind } from './job-inputs.ts'
import type { Estimate } from './llm/estimate.ts'
import type { CallbackChoice } from './pipelines/callback-choice.ts'
import { firstGenerateDialogue, type GenerateInput } from './pipelines/generate.ts'
import { firstImproveDialogue, type ImproveInput } from './pipelines/improve.ts'
import { firstHealDialogue, type SelfHealInput } from './pipelines/self-heal.ts'
import type { AskModel } from './pipelines/steps/ask-model.ts'
import { ENTRYPOINT } from './pipelines/steps/write-entrypoint.ts'
import { GenerateBody, ImproveBody, SelfHealBody } from './schemas/generation.ts'

/** Bodies of the pipelines that write code: what their jobs keep of them, and what a model would be asked first. */
export interface GenerationInputs {
  generate: BodyOf<GenerateInput>
  improve: BodyOf<ImproveInput>
  selfHeal: BodyOf<SelfHealInput>
  kinds: JobRequestKind[]
}

interface BodyOf<Input> {
  /**
   * The body as its job keeps it. Nothing has been called when it throws.
   *
   * @throws {FaultlineError} VALIDATION_FAILED, BAD_PATH, LLM_NOT_CONFIGURED, SANDBOX_UNAVAILABLE, and what is said of projects and jobs.
   */
  complete (body: Input): Promise<Input>
  /** What a model would be sent first, and what that costs; calls nothing and needs no model. */
  dryRun (body: Input): Promise<Estimate>
}

export interface GenerationInputDeps {
  model: Pick<AskModel, 'needModel' | 'estimate'>
  callback: CallbackChoice
  projects: Pick<Projects, 'needIndex'>
  filesOfJob: (id: string) => Promise<{ job: Job, files: Array<{ path: string, content: Buffer }> }>
  probeSandbox: () => Promise<{ available: boolean, reason: string | null, fix: string | null }>
}

interface Source { files?: Record<string, string>, project_name?: string, job_id?: string, callback_url?: string }

const SOURCES = ['files', 'project_name', 'job_id'] as const

export function createGenerationInputs ({ model, callback, projects, filesOfJob, probeSandbox }: GenerationInputDeps): GenerationInputs {
  async function needSandbox (): Promise<void> {
    const { available, reason, fix } = await probeSandbox()
    if (!available) throw new FaultlineError('SANDBOX_UNAVAILABLE', `Programs cannot be run: ${reason ?? 'there is no sandbox'}`, fix ?? undefined)
  }

  /** The files of an earlier job are copied into the body: that job may be deleted at any time. */
  async function withSource<Body extends Source> (body: Body): Promise<Body> {
    const given = SOURCES.filter(field => body[field] !== undefined)
    if (given.length !== 1) throw new FaultlineError('VALIDATION_FAILED', `Exactly one of ${SOURCES.join(', ')} is needed; this body has ${given.join(' and ') || 'none'}.`, 'Send files ({"path": "content"}), the name of a project, or the id of an ended job.')
    const { job_id: jobId, ...rest } = body
    if (body.files !== undefined) return { ...body, files: checkSentFiles(body.files) }
    if (jobId !== undefined) return { ...rest, files: await textsOfJob(jobId) } as Body
    const { projectName } = await projects.needIndex(body.project_name ?? '')
    return { ...body, project_name: projectName, ...await callback.of({ ...body, project_name: projectName }) }
  }

  async function textsOfJob (id: string): Promise<Record<string, string>> {
    const { job, files } = await filesOfJob(id)
    if (!isTerminal(job.status)) throw new FaultlineError('JOB_NOT_FINISHED', `The job ${id} is ${job.status}; its files may still change.`, 'GET /jobs/{id}?wait=60 answers when it has ended.')
    if (files.length === 0) throw new FaultlineError('VALIDATION_FAILED', `The job ${id} keeps no files.`, 'GET /jobs/{id}/files lists the files of a job.')
    return Object.fromEntries(files.map(({ path, content }) => [path, content.toString()]))
  }

  const generate: BodyOf<GenerateInput> = {
    async complete (body) {
      callback.check(body.callback_url)
      if (body.self_heal === true && body.execute === 'never') throw new FaultlineError('VALIDATION_FAILED', 'A program that is not run cannot be healed.', 'Leave execute out, or self_heal.')
      if (body.max_questions !== undefined && body.mode !== 'clarified') throw new FaultlineError('VALIDATION_FAILED', 'max_questions is of the mode clarified.', 'Add "mode": "clarified", or leave max_questions out.')
      const files = body.files === undefined ? {} : { files: checkSentFiles(body.files) }
      model.needModel()
      if (body.execute === 'always' || body.self_heal === true) await needSandbox()
      return { ...body, ...files }
    },
    dryRun: async body => model.estimate({ messages: firstGenerateDialogue(body), model: body.model }),
  }

  const improve: BodyOf<ImproveInput> = {
    async complete (body) {
      callback.check(body.callback_url)
      createGlobTest([...body.select ?? [], ...body.allow_paths ?? []]) // throws for a glob that cannot be used
      const input = await withSource(body)
      model.needModel()
      return input
    },
    dryRun: async body => model.estimate({ messages: firstImproveDialogue(await withSource(body)), model: body.model }),
  }

  const selfHeal: BodyOf<SelfHealInput> = {
    async complete (body) {
      callback.check(body.callback_url)
      const input = await withSource(body)
      const entrypoint = input.entrypoint ?? ENTRYPOINT
      if (input.files !== undefined && input.files[entrypoint] === undefined) throw new FaultlineError('ENTRYPOINT_NOT_FOUND', `There is no ${JSON.stringify(entrypoint)} among the files: the script that runs the program.`, 'Send it, or name another one with "entrypoint".')
      model.needModel()
      await needSandbox()
      return input
    },
    dryRun: async body => model.estimate({ messages: firstHealDialogue(await withSource(body)), model: body.model }),
  }

  return {
    generate,
    improve,
    selfHeal,
    kinds: [
      kind('generate', GenerateBody, generate.complete),
      kind('improve', ImproveBody, improve.complete, SOURCES),
      kind('self_heal', SelfHealBody, selfHeal.complete, SOURCES),
    ],
  }
}

/** The schema says that a body has the fields of an input; `dry_run` makes no job. */
function kind<Input extends JsonObject> (type: JobType, schema: TSchema, complete: (body: Input) => Promise<Input>, oneOf?: readonly string[]): JobRequestKind {
  return {
    type,
    schema,
    oneOf,
    async complete (body) {
      const { dry_run: isDryRun, ...rest } = body as JsonObject
      if (isDryRun === true) throw new FaultlineError('VALIDATION_FAILED', 'A dry run makes no job.', 'Leave dry_run out.')
      return complete(rest as Input)
    },
  }
}
