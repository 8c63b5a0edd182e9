import { test } from 'tap'
import type { FeatureResultAnswer } from '../../src/contract/feature.ts'
import { featureResultText, planLines } from '../../src/text/feature-text.ts'
import { requestDetail } from '../../src/text/request-text.ts'

const bright = (_style: unknown, text: string): string => `\u001b[1m${text}\u001b[0m`

const PLAN: NonNullable<FeatureResultAnswer['plan']> = {
  understood: 'Store characters.',
  entities: [
    {
      name: 'Character',
      table_name: 'characters',
      fields: [{ name: 'role', type: 'varchar', length: 100, nullable: true }],
    },
  ],
  tools: [{ name: 'add_character', description: 'Adds\u001b[2J one', input_schema: '{}', entity: 'Character' }],
  files: [{ path: 'src/dynamic/index.ts', purpose: 'lists the tools' }],
  branch_name: 'feat/x',
  steps: ['Scaffold'],
}

test('a plan is printed in colours, and what a model wrote has none', t => {
  t.same(planLines(PLAN, bright), [
    'Store characters.',
    '  \u001b[1mCharacter\u001b[0m in characters: role?: varchar(100)',
    '  \u001b[1madd_character\u001b[0m: Adds\\u001B[2J one',
    '  \u001b[1msrc/dynamic/index.ts\u001b[0m: lists the tools',
    'Branch: \u001b[1mfeat/x\u001b[0m',
    '  1. Scaffold',
  ])
  t.end()
})

test('a question says what each answer does', t => {
  const asked = { kind: 'approve_delivery', branch: 'feat/x', diff: '', pull_request_url: null }
  const plain = (_style: unknown, text: string): string => text
  const detail = (more: object): string => requestDetail({ ...asked, ...more }, plain)
  t.match(
    detail({ merge: true, deploys_by: 'url' }),
    /An approval merges it and calls deploy_url\.\nA rejection .*aborts/,
  )
  t.match(detail({}), /An approval leaves the branch as it is/)
  t.match(detail({ pushes: true, merge: true }), /An approval tries to push it once more, and you are asked again/)
  t.match(detail({ merged: true, deploys_by: 'url' }), /An approval calls deploy_url\.\nA rejection leaves it merged/)
  t.end()
})

test('a result prints nothing that a model could hide in it', t => {
  const attempts = [{ number: 1, tasks: [], checks: [], error: 'red\u001b[2J' }]
  const request = { pull_request_url: null, compare_url: null }
  const conflicts = [{ with: 'main\u001b[2J', job_id: null, paths: ['a\u001b[2J'] }]
  const notes = ['kept\u001b[2J']
  const result = { outcome: 'aborted', plan: PLAN, attempts, conflicts, deployment: null, notes, ...request }
  const text = featureResultText(result as unknown as FeatureResultAnswer, bright)
  const unpainted = text.replaceAll('\u001b[1m', '').replaceAll('\u001b[0m', '')
  t.notOk(unpainted.includes('\u001b'))
  t.end()
})
