import { test } from 'tap'
import { firstGenerateDialogue, openingOf, systemOf } from '../../../src/pipelines/generate/dialogue.ts'
import { CLARIFY_SYSTEM, GENERATE_SYSTEM, LITE_SYSTEM } from '../../../src/pipelines/steps/model/dialogues.ts'

test('the mode chooses the instructions; a clarified program begins with questions', async t => {
  t.equal(systemOf('lite'), LITE_SYSTEM)
  t.equal(systemOf('standard'), GENERATE_SYSTEM)
  t.equal(systemOf('clarified'), GENERATE_SYSTEM)
  t.equal(firstGenerateDialogue({ prompt: 'a', mode: 'clarified' })[0], CLARIFY_SYSTEM)
  t.equal(firstGenerateDialogue({ prompt: 'a' })[0], GENERATE_SYSTEM)
})

test('files that the program begins with stand below the prompt', async t => {
  t.equal(openingOf({ prompt: 'a program' }).content, 'a program')
  t.match(JSON.stringify(openingOf({ prompt: 'a program', files: { 'a.py': '1' } })), /a program.*a\.py/)
})
