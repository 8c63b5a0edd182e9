import type { LightMyRequestResponse } from 'fastify'
import type { Test } from 'tap'
import { startModelServer, type ModelServer, type RecordedRequest } from '../fakes/model-server.ts'
import { buildApp, type TestApp } from './build-app.ts'
import { openFolder } from './sandbox.ts'

type Replies = NonNullable<Parameters<typeof startModelServer>[0]>['chat']

export interface AppWithModel extends TestApp {
  model: ModelServer
  /** Messages of the n-th request to the model, from 0. */
  sent(n: number): Array<{ role: string; content: string }>
  /** Posts and waits until the job asks or has ended. */
  post(url: string, body: object): Promise<Pick<LightMyRequestResponse, 'statusCode' | 'body' | 'json'>>
  reply(id: string, body: object): ReturnType<AppWithModel['post']>
}

const messagesOf = (request: RecordedRequest | undefined) =>
  (request?.body?.messages ?? []) as Array<{ role: string; content: string }>

/** The real app over a scripted model, with a folder where jails can work. */
export async function buildWithModel(
  t: Test,
  chat: Replies,
  options: Parameters<typeof buildApp>[1] = {},
): Promise<AppWithModel> {
  const model = await startModelServer({ chat })
  t.teardown(() => model.close())
  const built = await buildApp(t, {
    root: openFolder(t),
    ...options,
    env: { LLM_BASE_URL: model.baseUrl, LLM_MODEL: 'scripted', ...options.env },
  })
  const post = (url: string, body: object) => built.app.inject({ method: 'POST', url: `${url}?wait=30`, body })
  return {
    ...built,
    model,
    post,
    sent: n => messagesOf(model.requests[n]),
    reply: (id, body) => post(`/jobs/${id}/reply`, body),
  }
}
