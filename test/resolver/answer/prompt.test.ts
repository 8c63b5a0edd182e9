import { test } from 'tap'
import type { CompletionRequest } from '../../../src/resolver/resolver.ts'
import { LOCATED, REPLY, REQUEST, resolverWith, USAGE } from '../resolve-with.ts'

test('the model is asked in the language wanted, with trace and code fenced as data', async t => {
  let asked: CompletionRequest | undefined
  const resolver = resolverWith({
    complete: async request => {
      asked = request
      return { ...REPLY, text: '## A\nwhy\n## B\nhow' }
    },
  })
  const resolution = await resolver.resolve({ ...REQUEST, model: 'other', temperature: 0.5 })
  t.match(resolution, {
    id: /^res_[0-9a-f]{24}$/,
    answerStatus: 'ok',
    answerError: null,
    model: 'm',
    usage: USAGE,
    answer: { explanation: 'why', fix: 'how', patch: null, patchStatus: 'none' },
    suspectCommits: [],
    suspectsStatus: 'shallow_history',
  })
  t.same(Object.keys(resolution.timingsMs), ['parse', 'map', 'retrieve', 'context', 'llm', 'total'])
  t.match(asked, { model: 'other', temperature: 0.5 })
  const [system, user] = asked?.messages ?? []
  t.match(system?.content, /`ru`/)
  const tag = /^<(data-[0-9a-f]{32}) label="stack trace">\n/m.exec(String(user?.content))?.[1] ?? ''
  t.ok(system?.content.includes(tag))
  t.ok(user?.content.includes(`<${tag} label="source code">\n${LOCATED.context}\n</${tag}>`))
  t.ok(user?.content.includes('ValueError: no </data> {{tag}}'), 'slots in the trace are not filled')
})

test('each request has a tag of its own', async t => {
  const tags = new Set<string>()
  const resolver = resolverWith({
    complete: async ({ messages }) => {
      tags.add(/data-[0-9a-f]{32}/.exec(String(messages[0]?.content))?.[0] ?? '')
      return { ...REPLY, text: '' }
    },
  })
  await resolver.resolve(REQUEST)
  await resolver.resolve(REQUEST)
  t.equal(tags.size, 2)
})

test('a very long trace is cut to both ends in the prompt', async t => {
  let prompt = ''
  const resolver = resolverWith({
    complete: async ({ messages }) => {
      prompt = messages[1]?.content ?? ''
      return { ...REPLY, text: '' }
    },
  })
  await resolver.resolve({ ...REQUEST, stackTrace: `first${'x'.repeat(1 << 20)}last` })
  t.ok(prompt.length < 30_000)
  t.match(prompt, /first/)
  t.match(prompt, /last/)
  t.match(prompt, /characters left out/)
})
