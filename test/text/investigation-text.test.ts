import { test } from 'tap'
import type { ResolutionAnswer } from '../../src/contract/resolution.ts'
import { investigationText } from '../../src/text/investigation-text.ts'

const step = { step: 1, tool: 'read_code', arguments: '{}', outcome: 'found', summary: '', tokens: 1 } as const
const investigation = (
  endedBy: NonNullable<ResolutionAnswer['investigation']>['ended_by'],
  steps: number,
): Pick<ResolutionAnswer, 'investigation'> => ({
  investigation: {
    steps: Array.from({ length: steps }, () => step),
    model_calls: steps + 1,
    asked_by: 'tool_calls',
    ended_by: endedBy,
  },
})

test('one sentence says what a model looked at, why it stopped, and what of its citations exists', async t => {
  const cited = (exists: boolean) => ({
    text: 'a.py',
    kind: 'file' as const,
    path: 'a.py',
    line: null,
    exists,
    why: '',
  })
  t.equal(investigationText({}), null)
  t.equal(investigationText(investigation('answer', 0)), 'It looked at nothing further.')
  t.equal(investigationText(investigation('max_steps', 2)), 'It looked at 2 things, as often as it was allowed.')
  t.equal(
    investigationText({ ...investigation('answer', 1), citations: [cited(true), cited(false)] }),
    'It looked at 1 thing. Of the files, lines and names that it cites 1 of 2 exist.',
  )
})
