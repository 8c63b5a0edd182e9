import type { ResolutionAnswer } from '../contract/resolution.ts'
import { count } from './table.ts'

type Investigated = Pick<ResolutionAnswer, 'investigation' | 'citations'>

/** Why a model stopped looking, where a limit made it. */
const ENDS = new Map([
  ['max_steps', 'as often as it was allowed'],
  ['tokens', 'until its tokens were used up'],
  ['seconds', 'until its time was over'],
  ['budget', 'until its budget was used up'],
  ['context', 'until its context was full'],
  ['error', 'until the model failed'],
])

/** One sentence on what a model looked at before it answered; null where it was not asked to. */
export function investigationText({ investigation, citations = [] }: Investigated): string | null {
  if (investigation === undefined) return null
  const { steps, ended_by: endedBy } = investigation
  const end = ENDS.get(endedBy)
  const looked = steps.length === 0 ? 'It looked at nothing further' : `It looked at ${count(steps.length, 'thing')}`
  const found = citations.filter(({ exists }) => exists).length
  const cited =
    citations.length === 0 ? '' : ` Of the files, lines and names that it cites ${found} of ${citations.length} exist.`
  return `${looked}${end === undefined ? '' : `, ${end}`}.${cited}`
}
