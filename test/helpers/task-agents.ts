import type { Test } from 'tap'
import { redact } from '../../src/llm/redaction/redact.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'
import type { LlmOptions } from '../../src/llm/client/client.ts'
import { createEstimate } from '../../src/llm/client/estimate.ts'
import { completeJson } from '../../src/llm/json/complete-json.ts'
import { jsonValuesIn } from '../../src/llm/json/json-text.ts'
import { createPrompts } from '../../src/llm/prompts.ts'
import { createAskModel, type AskModel } from '../../src/pipelines/steps/model/ask-model.ts'
import type { Reply } from '../fakes/model-server.ts'
import { openJobs } from './open-jobs.ts'
import { scriptedJob } from './scripted-job.ts'
import { scriptedLlm } from './scripted-llm.ts'

interface AgentOptions extends Partial<LlmOptions> {
  contexts?: ReadonlyMap<string, number>
}

/** A job with that body, over a real client of a scripted server; settled, with what it kept and what was sent. */
export async function runAgent<T>(
  t: Test,
  replies: Reply[],
  body: (job: JobContext, model: AskModel) => Promise<T>,
  { contexts = new Map(), ...options }: AgentOptions = {},
) {
  const { server, llm } = await scriptedLlm(t, replies, options)
  const model = createAskModel({
    complete: llm.complete,
    completeJson,
    jsonValuesIn,
    prompts: createPrompts(),
    estimate: createEstimate({ model: 'big', prices: new Map(), countTokens: text => Math.ceil(text.length / 4) }),
    redact: text => redact(text).text,
    contextOf: (name = 'big') => contexts.get(name) ?? null,
  })
  const { jobs, ...opened } = await openJobs(t, { generate: scriptedJob(job => body(job, model)) })
  const { job: begun } = await jobs.create('generate', {})
  const settled = () => jobs.settled(begun.id, 10_000)
  const job = await settled()
  const kept = new Map<string, string>()
  for (const { path } of await jobs.files(begun.id)) kept.set(path, (await jobs.readFile(begun.id, path)).toString())
  return {
    ...opened,
    jobs,
    job,
    settled,
    result: job.result as unknown as T,
    kept,
    requests: server.requests,
    sent: (n: number) => JSON.stringify(server.requests[n]?.body?.messages),
  }
}
