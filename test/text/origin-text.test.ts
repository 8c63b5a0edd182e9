import { test } from 'tap'
import { originText } from '../../src/text/origin-text.ts'
import { resolutionMarkdown } from '../../src/text/markdown/resolution.ts'
import { fault } from '../helpers/ci-report.ts'

test('an origin is a sentence with its evidence, on one line', async t => {
  t.equal(
    originText({ origin: 'flaky', origin_why: 'The run of the same commit did not have it.' }),
    'Flaky: runs of one commit differ. The run of the same commit did not have it.',
  )
  t.equal(originText({ origin: 'unknown' }), 'Where it comes from is not known.')
  t.equal(originText({}), null)
  t.equal(originText({ origin: 'existing', origin_why: 'a\nb\u001b[2J' })?.includes('\u001b'), false)
  t.notMatch(originText({ origin: 'existing', origin_why: 'a\nb' }), /\n/)
})

test('in Markdown nothing of the evidence is markup', async t => {
  const text = resolutionMarkdown(fault({ origin: 'infrastructure', origin_why: 'the log says "<img src=x> [a](b)"' }))
  t.match(text, /The machine failed, not the code\./)
  t.notMatch(text, /(?<!\\)<img|(?<!\\)\[a/)
})
