import type { Config } from '../config.ts'
import type { CallRecord, Llm, LlmOptions } from '../llm/client/client.ts'
import { createEstimate, type EstimateMessages } from '../llm/client/estimate.ts'
import { completeJson } from '../llm/json/complete-json.ts'
import { jsonValuesIn } from '../llm/json/json-text.ts'
import { createPrompts, type Prompts } from '../llm/prompts.ts'
import { redact } from '../llm/redaction/redact.ts'
import { createAskModel, type AskModel } from '../pipelines/steps/model/ask-model.ts'
import { countTokens } from '../tokens/o200k.ts'

/** What models are asked with. */
export interface Model {
  /** Null when no model is configured. */
  llm: Llm | null
  prompts: Prompts
  /** What asking would send and cost. */
  estimate: EstimateMessages
  /** How jobs ask. */
  asking: AskModel
}

/** The client of a model server takes long to load, and many installations have none. */
async function loadLlm(options: LlmOptions): Promise<Llm> {
  const { createLlm } = await import('../llm/client/client.ts')
  return createLlm(options)
}

/** Connects the configured model, if there is one, with the prompts. */
export async function createModel(config: Config, { onCall }: { onCall: (call: CallRecord) => void }): Promise<Model> {
  const { llm: settings, modelPrices: prices, modelContexts: contexts, promptsDir } = config
  const prompts = createPrompts({ promptsDir: promptsDir ?? undefined })
  const estimate = createEstimate({ model: settings?.model ?? null, prices, countTokens })
  const llm =
    settings === null ? null : await loadLlm({ ...settings, onCall, prices, sizes: { contexts, countTokens } })
  const asking = createAskModel({
    complete: llm?.complete ?? null,
    completeJson,
    jsonValuesIn,
    prompts,
    estimate,
    redact: text => redact(text).text,
    contextOf: (model = settings?.model ?? '') => contexts.get(model) ?? null,
  })
  return { llm, prompts, estimate, asking }
}
