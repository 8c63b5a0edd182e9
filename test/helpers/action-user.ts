import type { Test } from 'tap'
import { runAction } from './github-runner.ts'
import { CI_KEY, keyedShop } from './keyed-shop.ts'

/** A server with the shop, and a step that uses the action. */
export async function actionUser(t: Test, env: Record<string, string> = {}) {
  const shop = await keyedShop(t, env)
  const { url, folder, sha, writeLog } = shop
  return {
    ...shop,
    async use(log: string | Buffer | null, inputs: Record<string, string> = {}, env: Record<string, string> = {}) {
      if (log !== null) writeLog(log)
      const given = { server: url, 'api-key': CI_KEY, project: 'shop', log: 'test.log', ...inputs }
      return runAction(folder, given, { sha, env })
    },
  }
}
