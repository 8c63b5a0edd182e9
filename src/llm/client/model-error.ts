import { ModelError } from '../../core/errors.ts'
import type { Usage } from '../../core/job.ts'
import type { GaveUpError } from './retry.ts'

function fixFor(status: number | null): string {
  if (status === 401 || status === 403) return 'Check LLM_API_KEY.'
  if (status === 402) return 'Check the credit of the account behind LLM_API_KEY.'
  if (status === 404 || status === 405) return 'Check LLM_MODEL and LLM_BASE_URL (most end in /v1).'
  if (status !== null && status < 400) return 'LLM_BASE_URL redirects; set it to the final address.'
  return 'Ask for less (max_context_tokens, LLM_MAX_OUTPUT_TOKENS), or ask POST /resolve with "mode": "context".'
}

/** The error for a caller whose question no model answered. */
export function modelErrorFrom({ last, attempts, model }: GaveUpError, usage: Usage): ModelError {
  const details = { usage, cause: last }
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`
  switch (last.kind) {
    case 'rejected':
      return new ModelError('LLM_REJECTED', `The model server refused the request to ${model}: ${last.message}.`, {
        ...details,
        fix: fixFor(last.status),
      })
    case 'too_large':
      return new ModelError(
        'LLM_REQUEST_TOO_LARGE',
        `The model server says that the context of ${model} does not hold the request: ${last.message}.`,
        {
          ...details,
          fix:
            'Send less (max_context_tokens for a stack trace; fewer or smaller files for an edit), ' +
            'lower LLM_MAX_OUTPUT_TOKENS, or name a model with a larger context. ' +
            'With MODEL_CONTEXTS it is checked before anything is sent.',
        },
      )
    case 'bad_reply':
      return new ModelError('LLM_BAD_REPLY', `The model gave no usable answer after ${times}: ${last.message}.`, {
        ...details,
        fix: 'Check LLM_BASE_URL, LLM_MODEL and LLM_MAX_OUTPUT_TOKENS, or ask POST /resolve with "mode": "context".',
      })
    case 'unavailable':
      return new ModelError('LLM_UNAVAILABLE', `The model did not answer after ${times}: ${last.message}.`, {
        ...details,
        fix: 'Check LLM_BASE_URL, or ask POST /resolve with "mode": "context".',
      })
  }
}
