import type { Environment, VariableName } from './environment.ts'
import { invalid, list, parseHeaders } from './values.ts'

/** A server of models and the model that it is asked for. */
export interface ModelEndpoint {
  baseUrl: string
  apiKey: string | null
  headers: Record<string, string>
  model: string
}

/** The server that writes answers. */
export interface ChatEndpoint extends ModelEndpoint {
  fallbackModels: string[]
  maxOutputTokens: number
  timeoutMs: number
  firstTokenTimeoutMs: number
}

/** Why something is not configured, and what to set. */
export interface LlmGap {
  reason: string
  fix: string
}

const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

const openAiUrl = (values: Environment): string =>
  values.OPENAI_BASE_URL === undefined ? 'https://api.openai.com/v1' : withoutSlash(values.OPENAI_BASE_URL)

/** A server of models as far as it is configured. */
interface LlmEndpoint {
  baseUrl: string
  apiKey: string | undefined
  model: string | undefined
  /** The variable that names the server or its key. */
  variable: VariableName
  /** The provider's own variable of a model, beside `LLM_MODEL`. */
  modelVariable?: VariableName
}

/**
 * `LLM_*` wins, then the seed's OpenRouter names, then OpenAI's and Anthropic's. The model is missing where none is
 * named: many keys lie in an environment for other programs, so that none is called for a key alone. That of tasks
 * counts, too, so that the seed's two lines (a key and AI_PIPELINE_MODEL) are enough.
 */
export function llmEndpoint(values: Environment): LlmEndpoint | null {
  const { LLM_BASE_URL: baseUrl, LLM_API_KEY: apiKey } = values
  const model = values.LLM_MODEL ?? values.AI_PIPELINE_MODEL
  if (baseUrl !== undefined) return { baseUrl: withoutSlash(baseUrl), apiKey, model, variable: 'LLM_BASE_URL' }
  if (apiKey !== undefined) return { baseUrl: openAiUrl(values), apiKey, model, variable: 'LLM_API_KEY' }
  if (values.OPENROUTER_API_KEY !== undefined) {
    return {
      baseUrl: 'https://openrouter.ai/api/v1',
      apiKey: values.OPENROUTER_API_KEY,
      model: values.LLM_MODEL ?? values.OPENROUTER_LLM_MODEL ?? model,
      variable: 'OPENROUTER_API_KEY',
      modelVariable: 'OPENROUTER_LLM_MODEL',
    }
  }
  if (values.OPENAI_API_KEY !== undefined || values.OPENAI_BASE_URL !== undefined) {
    const variable = values.OPENAI_API_KEY === undefined ? 'OPENAI_BASE_URL' : 'OPENAI_API_KEY'
    return { baseUrl: openAiUrl(values), apiKey: values.OPENAI_API_KEY, model, variable }
  }
  if (values.ANTHROPIC_API_KEY !== undefined) {
    const key = values.ANTHROPIC_API_KEY
    return { baseUrl: 'https://api.anthropic.com/v1', apiKey: key, model, variable: 'ANTHROPIC_API_KEY' }
  }
  return null
}

/** Why no model writes answers, and what to set; null where one does. */
export function llmGap(values: Environment): LlmGap | null {
  const endpoint = llmEndpoint(values)
  if (endpoint === null) {
    const fix = 'Set LLM_BASE_URL and LLM_MODEL and, where the server wants one, LLM_API_KEY.'
    if (values.LLM_MODEL === undefined) return { reason: 'No model is configured.', fix }
    const reason = 'LLM_MODEL is set, but no model server: no model will be called.'
    return { reason, fix: 'Set LLM_BASE_URL or the key of a provider.' }
  }
  const { variable, modelVariable, model } = endpoint
  if (model !== undefined) return null
  const why = variable.endsWith('_API_KEY') ? 'a key alone never sends code away' : 'none will be called'
  return {
    reason: `${variable} is set, but no model is named: ${why}.`,
    fix: modelVariable === undefined ? 'Set LLM_MODEL.' : `Set LLM_MODEL or ${modelVariable}.`,
  }
}

/** The server that writes answers; null where none is configured, or no model. */
export function llmFrom(values: Environment): ChatEndpoint | null {
  const endpoint = llmEndpoint(values)
  if (endpoint === null || endpoint.model === undefined) return null
  return {
    baseUrl: endpoint.baseUrl,
    apiKey: endpoint.apiKey ?? null,
    headers: parseHeaders('LLM_HEADERS', values.LLM_HEADERS),
    model: endpoint.model,
    fallbackModels: list(values.LLM_FALLBACK_MODELS),
    maxOutputTokens: values.LLM_MAX_OUTPUT_TOKENS,
    timeoutMs: values.LLM_TIMEOUT_S * 1000,
    firstTokenTimeoutMs: values.LLM_FIRST_TOKEN_TIMEOUT_S * 1000,
  }
}

/** Only a named embedding model sends code away; a key alone never does. */
export function embeddingFrom(values: Environment): ModelEndpoint | null {
  const model = values.EMBEDDING_MODEL ?? values.OPENROUTER_EMBEDDING_MODEL
  if (model === undefined) return null
  const own = parseHeaders('EMBEDDING_HEADERS', values.EMBEDDING_HEADERS)
  if (values.EMBEDDING_BASE_URL !== undefined) {
    return {
      baseUrl: withoutSlash(values.EMBEDDING_BASE_URL),
      apiKey: values.EMBEDDING_API_KEY ?? null,
      headers: own,
      model,
    }
  }
  if (values.EMBEDDING_MODEL === undefined && values.OPENROUTER_API_KEY !== undefined) {
    return {
      baseUrl: 'https://openrouter.ai/api/v1',
      apiKey: values.EMBEDDING_API_KEY ?? values.OPENROUTER_API_KEY,
      headers: own,
      model,
    }
  }
  const endpoint = llmEndpoint(values)
  if (endpoint === null) {
    throw invalid(
      `EMBEDDING_MODEL=${JSON.stringify(model)} needs EMBEDDING_BASE_URL, or a configured LLM whose server it shares`,
    )
  }
  // The model server itself: what it wants of every request, it wants of these, too.
  return {
    baseUrl: endpoint.baseUrl,
    apiKey: values.EMBEDDING_API_KEY ?? endpoint.apiKey ?? null,
    headers: { ...parseHeaders('LLM_HEADERS', values.LLM_HEADERS), ...own },
    model,
  }
}
