import type { BudgetAnswer } from '../contract/job.ts'
import { FaultlineError } from '../core/errors.ts'
import { Type } from '../core/type.ts'

const Amount = Type.Optional(Type.String({ maxLength: 20 }))
const NAMES = ['tokens', 'seconds', 'usd'] as const

/** The fields of a form that has `limitFields`. */
export const LimitFields = { tokens: Amount, seconds: Amount, usd: Amount }

/**
 * The limits that were filled in; null where none was.
 *
 * @throws {FaultlineError} VALIDATION_FAILED for what is no number above 0.
 */
export function limitsOf(fields: Partial<Record<keyof typeof LimitFields, string>>): BudgetAnswer | null {
  const given = NAMES.flatMap(name => {
    const text = fields[name]?.trim() ?? ''
    return text === '' ? [] : [{ name, text, value: Number(text) }]
  })
  const wrong = given.find(({ name, value }) => !(value > 0) || (name === 'tokens' && !Number.isInteger(value)))
  if (wrong !== undefined) {
    const kind = wrong.name === 'tokens' ? 'whole number' : 'number'
    throw new FaultlineError(
      'VALIDATION_FAILED',
      `${JSON.stringify(wrong.text)} for ${wrong.name} is no ${kind} above 0.`,
      `Go back, and give a ${kind} like 20000, or nothing.`,
    )
  }
  return given.length === 0 ? null : Object.fromEntries(given.map(({ name, value }) => [name, value]))
}
