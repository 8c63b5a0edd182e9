import { test } from 'tap'
import {
  countsOf,
  firstChoice,
  hasFields,
  isError,
  nameOf,
  outputOf,
  textOf,
} from '../../../src/llm/client/reply-parts.ts'

test('text comes as a string or in parts', async t => {
  t.equal(textOf('one'), 'one')
  t.equal(textOf([{ type: 'text', text: 'one ' }, { type: 'image' }, 'x', { text: 'two' }]), 'one two')
  t.equal(textOf(null), '')
})

test('what a model wrote is text, thoughts and calls of tools, not its role', async t => {
  t.equal(outputOf({ role: 'assistant', content: 'a', reasoning: 'b', refusal: null }), 'ab')
  t.equal(outputOf({ role: 'assistant', tool_calls: [{ id: 1 }] }), '[{"id":1}]')
  t.equal(outputOf({ role: 'assistant', content: '' }), '')
})

test('counts are two whole numbers or none', async t => {
  t.same(countsOf({ prompt_tokens: 3, completion_tokens: 0 }), { promptTokens: 3, completionTokens: 0 })
  for (const usage of [null, {}, { prompt_tokens: 3 }, { prompt_tokens: -1, completion_tokens: 1 }, 'x']) {
    t.equal(countsOf(usage), null)
  }
})

test('the first choice is an object or none', async t => {
  t.same(firstChoice({ choices: [{ index: 0 }] }), { index: 0 })
  for (const choices of [undefined, [], 'x', [null]]) t.equal(firstChoice({ choices }), null)
})

test('an error field that says nothing is no error', async t => {
  for (const value of [undefined, null, false, '']) t.equal(isError(value), false)
  for (const value of ['x', {}, 0]) t.equal(isError(value), true)
})

test('names are short texts', async t => {
  t.equal(nameOf('stop'), 'stop')
  t.equal(nameOf('x'.repeat(100))?.length, 64)
  t.equal(nameOf(''), null)
  t.equal(nameOf(3), null)
  t.equal(hasFields([]), true)
  t.equal(hasFields(null), false)
})
