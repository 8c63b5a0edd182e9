import type { ResolveInput } from '../../../contract/resolution.ts'
import type { Resolution } from '../../../core/resolution.ts'
import type { Usage } from '../../../core/job.ts'

/** Why a model stopped looking around. */
export type EndedBy = NonNullable<Resolution['investigation']>['endedBy']
/** A limit that ended it. */
export type Limit = Exclude<EndedBy, 'answer' | 'error'>

/** How often a model may look at something unless the body says otherwise. */
const DEFAULT_STEPS = 12
const DEFAULT_TOKENS = 400_000
const DEFAULT_SECONDS = 600

/** What an investigation may take. */
export interface Limits {
  steps: number
  tokens: number
  seconds: number
  usd: number | null
  /** Tokens of one request and its reply that the model takes; null where nobody said. */
  context: number | null
  /** Which limits a person has set. */
  given: { tokens: boolean; seconds: boolean }
}

/** How often a model may look at something. */
export const stepsOf = ({ max_steps: steps }: Pick<ResolveInput, 'max_steps'>): number => steps ?? DEFAULT_STEPS

/** The limits of a body. */
export const limitsOf = (
  { budget = {}, ...input }: Pick<ResolveInput, 'max_steps' | 'budget'>,
  context: number | null,
): Limits => ({
  steps: stepsOf(input),
  tokens: budget.tokens ?? DEFAULT_TOKENS,
  seconds: budget.seconds ?? DEFAULT_SECONDS,
  usd: budget.usd ?? null,
  context,
  given: { tokens: budget.tokens !== undefined, seconds: budget.seconds !== undefined },
})

/** What an investigation has taken. */
interface Taken {
  steps: number
  usage: Usage
  /** Milliseconds that calls and looks may take. */
  ms: number
  /** Tokens that the next request is likely to have. */
  nextTokens: number
  /** What the last call cost; null where no price is known. */
  lastUsd: number | null
}

/** The part of the time that is left for the answer. */
const LOOKING_PART = 0.75
/** Tokens for an answer and what it stands on. */
const ANSWER_TOKENS = 4_000

/**
 * The limit that leaves no room for looking further: what is left must pay for one more look and then for the answer.
 * Null where there is room.
 */
export function limitMet(limits: Limits, { steps, usage, ms, nextTokens, lastUsd }: Taken): Limit | null {
  const spent = usage.promptTokens + usage.completionTokens
  if (steps >= limits.steps) return 'max_steps'
  if (spent + 2 * (nextTokens + ANSWER_TOKENS) > limits.tokens) return limits.given.tokens ? 'budget' : 'tokens'
  if (ms / 1000 > limits.seconds * LOOKING_PART) return limits.given.seconds ? 'budget' : 'seconds'
  if (limits.usd !== null && (usage.usd ?? 0) + 2 * (lastUsd ?? 0) > limits.usd) return 'budget'
  if (limits.context !== null && nextTokens + 3 * ANSWER_TOKENS > limits.context) return 'context'
  return null
}

/** A call under way may take this much of the time above it: an answer that is nearly there is not thrown away. */
const GRACE_PART = 0.1
/** The longest that a timer waits. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Milliseconds that a call of the model may take; 0 where the time is over. */
export const msForCall = ({ seconds }: Pick<Limits, 'seconds'>, takenMs: number): number =>
  Math.min(MAX_TIMER_MS, Math.max(0, Math.ceil(seconds * 1000 * (1 + GRACE_PART) - takenMs)))

/** The limits in words for the model. */
export const LIMIT_WORDS: Record<Limit, string> = {
  max_steps: 'as many lookups as were allowed have been made',
  tokens: 'the tokens for it are used up',
  seconds: 'the time for it is over',
  budget: 'the budget is nearly used up',
  context: 'the context is nearly full',
}
