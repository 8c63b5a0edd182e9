import type { Config } from '../config.ts'
import { createLlm, type CallRecord, type Llm } from '../llm/client/client.ts'
import { createEstimate, type EstimateMessages } from '../llm/client/estimate.ts'
import { completeJson } from '../llm/json/complete-json.ts'
import { createPrompts, type Prompts } from '../llm/prompts.ts'
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

/** Connects the configured model, if there is one, with the prompts. */
export function createModel(config: Config, { onCall }: { onCall: (call: CallRecord) => void }): Model {
  const { llm: settings, modelPrices: prices, modelContexts: contexts, promptsDir } = config
  const prompts = createPrompts({ promptsDir: promptsDir ?? undefined })
  const estimate = createEstimate({ model: settings?.model ?? null, prices, countTokens })
  const llm = settings === null ? null : createLlm({ ...settings, onCall, prices, sizes: { contexts, countTokens } })
  const asking = createAskModel({ complete: llm?.complete ?? null, completeJson, prompts, estimate })
  return { llm, prompts, estimate, asking }
}
