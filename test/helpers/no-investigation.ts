import type { createResolvePipeline } from '../../src/pipelines/resolve/run.ts'

type Parts = Pick<Parameters<typeof createResolvePipeline>[0], 'investigating' | 'model'>

const none = (): never => {
  throw new Error('Nothing is investigated here.')
}

/** For tests of resolve jobs in which no model looks around. */
export const NO_INVESTIGATION: Parts = {
  investigating: {
    openQuestion: none,
    readReply: none,
    keepResolution: none,
    openCode: none,
    readFile: none,
    clean: none,
    countTokens: none,
  },
  model: { askInStep: none, render: none, contextOf: none, jsonValuesIn: none },
}
