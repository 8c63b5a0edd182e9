import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** How `npm start` of a checkout runs its server. */
interface StartCommand {
  /** Variables that it sets. */
  env: Record<string, string>
  /** Options of Node. */
  flags: string[]
}

/** Reads a script such as `NAME=value node --option src/server.ts`. */
export function startCommandOf(checkout: string): StartCommand {
  const { scripts } = JSON.parse(readFileSync(join(resolve(checkout), 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const [before = '', after = ''] = scripts.start.split(/(?:^| )node /)
  const variables = before.split(' ').filter(word => word.includes('='))
  return {
    env: Object.fromEntries(variables.map(one => [one.slice(0, one.indexOf('=')), one.slice(one.indexOf('=') + 1)])),
    flags: after.split(' ').filter(word => word.startsWith('--')),
  }
}
