import { parseEnv } from 'node:util'
import { test } from 'tap'
import { ENVIRONMENT, loadConfig } from '../../src/config.ts'
import { createLlm } from '../../src/llm/client/client.ts'
import { startModelServer } from '../fakes/model-server.ts'
import { blocksOf, docPages, type DocPage } from '../helpers/doc-pages.ts'
import { MESSAGES } from '../helpers/scripted-llm.ts'

const pageOf = (path: string): DocPage => {
  const page = docPages().find(one => one.path === path)
  if (page === undefined) throw new Error(`${path} is missing`)
  return page
}
const PAGE = pageOf('docs/providers.md')

/** The lines of each provider, as a `.env` would have them. */
function envOf(title: string): Record<string, string> {
  const [, section = ''] = PAGE.text.split(`\n## ${title}\n`)
  const [block] = blocksOf({ path: title, text: section.split('\n## ')[0] ?? '' })
  return parseEnv(block?.text ?? '') as Record<string, string>
}

/** Where each provider has its OpenAI-compatible API, and the key that it gets. */
const PROVIDERS = {
  Ollama: { url: 'http://127.0.0.1:11434/v1', key: null },
  OpenAI: { url: 'https://api.openai.com/v1', key: 'sk-your-key' },
  OpenRouter: { url: 'https://openrouter.ai/api/v1', key: 'sk-or-your-key' },
  Anthropic: { url: 'https://api.anthropic.com/v1', key: 'sk-ant-your-key' },
  'Azure OpenAI': { url: 'https://your-resource.openai.azure.com/openai/v1', key: 'your-key' },
  Gemini: { url: 'https://generativelanguage.googleapis.com/v1beta/openai', key: 'your-key' },
  vLLM: { url: 'http://127.0.0.1:8001/v1', key: null },
}

test('three lines for each provider name its server, its key and a model', async t => {
  for (const [title, { url, key }] of Object.entries(PROVIDERS)) {
    const env = envOf(title)
    t.equal(Object.keys(env).length, 3, title)
    for (const name of Object.keys(env)) t.ok(name in ENVIRONMENT.properties, `${title}: ${name}`)
    const { llm, notices } = loadConfig({ root: t.testdirName, env })
    t.match(llm, { baseUrl: url, apiKey: key }, title)
    t.ok((llm?.model.length ?? 0) > 2, title)
    t.same(
      notices.filter(notice => /model|LLM/.test(notice)),
      [],
      title,
    )
  }
})

test('a server at the path of each provider is reached with these lines', async t => {
  await using server = await startModelServer({ otherwise: { text: 'Because.' } })
  for (const [title, { url, key }] of Object.entries(PROVIDERS)) {
    const { llm } = loadConfig({ root: t.testdirName, env: envOf(title) })
    if (llm === null) throw new Error(title)
    const { pathname } = new URL(url)
    const prefix = pathname === '/v1' ? '' : pathname
    const client = createLlm({ ...llm, baseUrl: `${server.baseUrl}${prefix}` })
    const before = server.requests.length
    await client.complete({ messages: MESSAGES }).catch(() => null)
    const { path, headers, body } = server.requests[before] ?? {}
    t.equal(path, `/v1${prefix}/chat/completions`, title)
    t.equal(headers?.authorization, key === null ? headers?.authorization : `Bearer ${key}`, title)
    t.equal(body?.model, llm.model, title)
  }
})

test('other blocks of settings in the pages are settings of this version', async t => {
  for (const page of docPages()) {
    for (const { language, text } of blocksOf(page)) {
      if (language !== 'dotenv') continue
      for (const name of Object.keys(parseEnv(text))) t.ok(name in ENVIRONMENT.properties, `${page.path}: ${name}`)
    }
  }
})
