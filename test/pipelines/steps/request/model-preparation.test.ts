import { test } from 'tap'
import { FaultlineError } from '../../../../src/core/errors.ts'
import { modelPreparation } from '../../../../src/pipelines/steps/request/model-preparation.ts'
import { requestParts } from '../../../helpers/request-parts.ts'

type Body = { prompt: string; dry_run?: boolean; callback_url?: string; model?: string }

const prepared = (given: Parameters<typeof requestParts>[0] = {}) =>
  modelPreparation(requestParts(given), {
    async complete(body: Omit<Body, 'dry_run'>) {
      if (body.prompt === '') throw new FaultlineError('VALIDATION_FAILED', 'no prompt')
      return { ...body, isComplete: true }
    },
    needsSandbox: ({ prompt }) => prompt === 'run',
    dialogue: async ({ prompt }) => [{ role: 'user' as const, text: prompt }] as never,
  })

test('what the body says is checked first, then the model, and the sandbox where programs are run', async t => {
  const { complete } = prepared()
  t.same(await complete({ prompt: 'run', dry_run: false }), { prompt: 'run', isComplete: true })
  await t.rejects(complete({ prompt: 'a', dry_run: true }), { message: 'A dry run makes no job.' })
  await t.rejects(complete({ prompt: '', callback_url: 'http://10.0.0.1/' }), { code: 'ADDRESS_REFUSED' })

  const bare = prepared({ noModel: true, noSandbox: true })
  await t.rejects(bare.complete({ prompt: '' }), { code: 'VALIDATION_FAILED' })
  await t.rejects(bare.complete({ prompt: 'run' }), { code: 'LLM_NOT_CONFIGURED' })
  const jailless = prepared({ noSandbox: true })
  await t.rejects(jailless.complete({ prompt: 'run' }), { code: 'SANDBOX_UNAVAILABLE' })
  t.match(await jailless.complete({ prompt: 'a' }), { isComplete: true })
})

test('a dry run needs neither model nor sandbox', async t => {
  t.match(await prepared({ noModel: true, noSandbox: true }).dryRun({ prompt: 'run' }), { tokens: 1 })
})
