import { test, type Test } from 'tap'
import type { JobDefinition } from '../../src/jobs/job-definition.ts'
import { startModelServer, type ModelServer } from '../fakes/model-server.ts'
import { buildApp } from '../helpers/build-app.ts'
import { cloneShop, resolveShop } from '../helpers/cloned-shop.ts'

async function start(t: Test): Promise<ModelServer> {
  const server = await startModelServer({ chat: [{ text: 'Because it divides by zero.' }] })
  t.teardown(() => server.close())
  return server
}

async function resolveAndSearch(t: Test, embeddings: ModelServer, env: Record<string, string>) {
  const built = await buildApp(t, { env })
  await cloneShop(t, built)
  const res = await resolveShop(built)
  t.match(res.json(), { answer_status: 'ok' })
  const indexed = embeddings.requests.length
  t.match((await built.app.inject('/projects/shop/search?q=mean+of+the+costs')).statusCode, 200)
  t.ok(indexed > 0 && embeddings.requests.length > indexed, 'the index and the query were embedded there')
}

test('base URL, key and headers reach the wire: of indexing, of searching, and of asking', async t => {
  const [chat, embeddings] = [await start(t), await start(t)]
  await resolveAndSearch(t, embeddings, {
    LLM_BASE_URL: `${chat.baseUrl}/`,
    LLM_MODEL: 'talker',
    LLM_API_KEY: 'chat-key',
    LLM_HEADERS: '{"x-team": "ann"}',
    EMBEDDING_BASE_URL: `${embeddings.baseUrl}/`,
    EMBEDDING_MODEL: 'embedder',
    EMBEDDING_API_KEY: 'embedding-key',
    EMBEDDING_HEADERS: '{"x-team": "ben"}',
  })
  t.match(chat.requests, {
    length: 1,
    0: {
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer chat-key', 'x-team': 'ann' },
      body: { model: 'talker' },
    },
  })
  for (const { path, headers, body } of embeddings.requests) {
    t.match(
      { path, headers, body },
      {
        path: '/v1/embeddings',
        headers: { authorization: 'Bearer embedding-key', 'x-team': 'ben' },
        body: { model: 'embedder' },
      },
    )
  }
})

test('embeddings of the model server itself go there with its key and headers', async t => {
  const server = await start(t)
  await resolveAndSearch(t, server, {
    LLM_BASE_URL: server.baseUrl,
    LLM_MODEL: 'talker',
    LLM_API_KEY: 'chat-key',
    LLM_HEADERS: '{"x-team": "ann"}',
    EMBEDDING_MODEL: 'embedder',
  })
  t.same(new Set(server.requests.map(({ path }) => path)), new Set(['/v1/chat/completions', '/v1/embeddings']))
  for (const { headers } of server.requests) t.match(headers, { authorization: 'Bearer chat-key', 'x-team': 'ann' })
})

test('a pipeline asks the configured model with the same settings, and its job counts the cost', async t => {
  const server = await start(t)
  const built = await buildApp(t, {
    env: {
      LLM_BASE_URL: server.baseUrl,
      LLM_MODEL: 'talker',
      LLM_API_KEY: 'chat-key',
      MODEL_PRICES: '{"talker": {"input": 1000000, "output": 0}}',
    },
    definitions: ({ model }) => {
      const generate: JobDefinition = {
        projectName: () => null,
        exclusiveKey: () => null,
        run: context =>
          model.askModel(context, {
            name: 'explain',
            messages: [
              { role: 'system', content: 'Be brief.' },
              { role: 'user', content: ['Why?\n', { label: 'output', text: 'boom' }] },
            ],
          }),
      }
      return { generate }
    },
  })
  const { jobs } = built.services
  const job = await jobs.settled((await jobs.create('generate', {})).job.id, 10_000)
  t.match(job, { status: 'succeeded', result: { text: 'Because it divides by zero.' }, usage: { llmCalls: 1 } })
  t.equal(job.usage.usd, job.usage.promptTokens)
  const [system, user] = server.requests[0]?.body?.messages as Array<{ content: string }>
  const [, tag = 'none'] = /whose name begins with `(data-\w+)`/.exec(String(system?.content)) ?? []
  t.match(user?.content, new RegExp(`^Why\\?\n<${tag} label="output">\nboom\n</${tag}>$`))
  t.match(server.requests[0]?.headers, { authorization: 'Bearer chat-key' })
})
