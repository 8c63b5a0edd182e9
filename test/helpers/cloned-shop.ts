import { join } from 'node:path'
import type { Test } from 'tap'
import { cloneInto, type TestApp } from './build-app.ts'
import type { TestRepository } from './git-repository.ts'
import { createShop, SHOP_TRACE } from './sample-repository.ts'

/** Makes the sample repository and clones it as the project `shop`. */
export async function cloneShop(t: Test, built: Pick<TestApp, 'app' | 'reposDir'>): Promise<TestRepository> {
  const shop = createShop(join(built.reposDir, 'shop.git'))
  await cloneInto(t, built, { url: shop.dir })
  return shop
}

/** Asks for a resolution of the shop's trace; with other options it is another question. */
export const resolveShop = ({ app }: Pick<TestApp, 'app'>, headers?: Record<string, string>, options: object = {}) =>
  app.inject({
    method: 'POST',
    url: '/resolve',
    headers,
    body: { stacktrace: SHOP_TRACE, project_name: 'shop', ...options },
  })
