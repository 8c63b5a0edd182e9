import type { Environment } from './environment.ts'
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

const withoutSlash = (url: string): string => url.replace(/(?<!\/)\/+$/, '')

const openAiUrl = (values: Environment): string =>
  values.OPENAI_BASE_URL === undefined ? 'https://api.openai.com/v1' : withoutSlash(values.OPENAI_BASE_URL)

/**
 * `LLM_*` wins, then the seed's OpenRouter names, then OpenAI's and Anthropic's. A model may be missing: see
 * `noticesFor`.
 */
export function llmEndpoint(
  values: Environment,
): { baseUrl: string; apiKey: string | undefined; model: string | undefined } | null {
  if (values.LLM_BASE_URL !== undefined) {
    return { baseUrl: withoutSlash(values.LLM_BASE_URL), apiKey: values.LLM_API_KEY, model: values.LLM_MODEL }
  }
  if (values.LLM_API_KEY !== undefined) {
    return { baseUrl: openAiUrl(values), apiKey: values.LLM_API_KEY, model: values.LLM_MODEL }
  }
  if (values.OPENROUTER_API_KEY !== undefined) {
    return {
      baseUrl: 'https://openrouter.ai/api/v1',
      apiKey: values.OPENROUTER_API_KEY,
      model: values.LLM_MODEL ?? values.OPENROUTER_LLM_MODEL,
    }
  }
  if (values.OPENAI_API_KEY !== undefined || values.OPENAI_BASE_URL !== undefined) {
    return { baseUrl: openAiUrl(values), apiKey: values.OPENAI_API_KEY, model: values.LLM_MODEL }
  }
  if (values.ANTHROPIC_API_KEY !== undefined) {
    return { baseUrl: 'https://api.anthropic.com/v1', apiKey: values.ANTHROPIC_API_KEY, model: values.LLM_MODEL }
  }
  return null
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
