import type { ProjectAnswer } from '../contract/project.ts'
import type { CamelCased } from '../contract/wire.ts'
import { safePath } from './safe-path.ts'

type Answer = CamelCased<ProjectAnswer>

/** What a project says of features; what is left out is as the defaults say. */
export interface FeatureSettings {
  allowedPaths?: string[]
  templates?: string
  branchPrefix?: string
  commitStyle?: 'conventional' | 'plain'
  paths?: { schema?: string; tool?: string; test?: string }
  migrations?: { generate?: string; apply?: string; rollback?: string; folder?: string }
  deployUrl?: string
  notify?: NonNullable<Answer['notify']>
}

/** Names that a path of a template may hold. */
const SLOTS = /\{(?:table|entity|tool)\}/g

/** Whether a text names a folder, perhaps with a slash at its end, or a file inside of a repository. */
export function isFolderOrFile(path: string): boolean {
  const plain = path.endsWith('/') ? path.slice(0, -1) : path
  return safePath(plain) === plain && !/[*?[\]{}]/.test(plain)
}

/** The same for a path with the slots `{table}`, `{entity}` and `{tool}`, of which it must have one. */
export function isTemplatePath(path: string): boolean {
  const filled = path.replace(SLOTS, 'x')
  return filled !== path && !filled.endsWith('/') && isFolderOrFile(filled)
}

/** What git takes in no name of a branch, of what a prefix may hold otherwise. */
const NO_PREFIX = /\.\.|\/\/|\/\.|\.\/|\.lock(?:\/|$)|^refs\//

/** Whether a text can be what the names of branches begin with. */
export const isBranchPrefix = (text: string): boolean => /^[A-Za-z0-9][\w./-]*$/.test(text) && !NO_PREFIX.test(text)
