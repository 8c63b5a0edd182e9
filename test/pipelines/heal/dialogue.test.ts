import { test } from 'tap'
import { firstHealDialogue } from '../../../src/pipelines/heal/dialogue.ts'
import { sentFiles } from '../../../src/pipelines/steps/base/base-files.ts'

const base = (files: Record<string, string>) => sentFiles(new Map(Object.entries(files)), { fill: async () => {} })

test('the first question shows the files and what the program is for', async t => {
  const dialogue = JSON.stringify(await firstHealDialogue({ prompt: 'counts' }, base({ 'a.py': '1', 'b.py': '2' })))
  t.match(dialogue, /a\.py.*b\.py.*counts/)
})

test('of a large project only the first files are shown, at least one', async t => {
  const large = 'x'.repeat(300_000)
  const dialogue = JSON.stringify(await firstHealDialogue({ prompt: 'a' }, base({ 'a.py': large, 'b.py': '2' })))
  t.match(dialogue, /a\.py/)
  t.notMatch(dialogue, /b\.py/)
})
