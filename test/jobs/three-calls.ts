import { setTimeout as wait } from 'node:timers/promises'
import type { Usage } from '../../src/core/job.ts'
import type { JobContext } from '../../src/jobs/job-context.ts'

export const QUESTION = { kind: 'clarification' as const, question: 'What?' }

const CALL: Usage = { llmCalls: 1, promptTokens: 60, completionTokens: 40, usd: 0.5 }

/** A job that calls a "model" three times, each call a step of 100 tokens and 0.5 dollars. */
export async function threeCalls({ step, checkBudget, addUsage, token }: JobContext): Promise<number> {
  for (let call = 0; call < 3; call++) {
    await step('call', async () => {
      await checkBudget()
      await addUsage(CALL)
      token('x')
      await wait(1)
    })
  }
  return 3
}
