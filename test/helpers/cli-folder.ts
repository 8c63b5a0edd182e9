import { join } from 'node:path'
import type { Test } from 'tap'
import { createCli } from './run-cli.ts'
import { createShop } from './sample-repository.ts'
import { testFolder } from './test-folder.ts'

/** A folder with a repository that the commands clone, and data of its own. */
export function cliFolder(t: Test) {
  const home = testFolder(t)
  const cli = createCli(home)
  const shop = createShop(join(home, 'repos', 'shop.git'))
  return { home, cli, shop, data: ['--data-dir', join(home, 'data')] }
}
