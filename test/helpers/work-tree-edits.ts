import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import fc from 'fast-check'
import type { TestRepository } from './git-repository.ts'

const path = fc.constantFrom('a.py', 'b.py', 'lib/c.py', 'lib/deep/d.py', 'e e.py')
const edit = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('write' as const), path }), weight: 4 },
  fc.record({ kind: fc.constant('delete' as const), path }),
  fc.record({ kind: fc.constant('rename' as const), path, to: path }),
  fc.record({ kind: fc.constantFrom('stage' as const, 'commit' as const, 'reset' as const, 'unstage' as const) }),
)

/** Something that a person does in a work tree. */
type Edit = typeof edit extends fc.Arbitrary<infer Value> ? Value : never

/** What a person does in a work tree, in rounds: after each the code is looked at. */
export const roundsOfEdits = fc.array(fc.array(edit, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 })

/** Files on the disk by path, without what git keeps. */
export function filesOn(dir: string): Map<string, string> {
  const found = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter(name => name !== '.git' && !name.startsWith('.git/') && statSync(join(dir, name)).isFile())
    .map(name => join(dir, name))
  return new Map(found.map(file => [relative(dir, file), readFileSync(file, 'utf8')]))
}

/** Carries edits out; `content` gives what is written into a file. */
export function createEditor({ dir, git }: TestRepository, content: () => string): (one: Edit) => void {
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.com')
  const carryOut: { [Kind in Edit['kind']]: (one: Edit & { kind: Kind }) => unknown } = {
    write({ path: file }) {
      mkdirSync(dirname(join(dir, file)), { recursive: true })
      writeFileSync(join(dir, file), content())
    },
    delete: ({ path: file }) => rmSync(join(dir, file), { force: true }),
    rename({ path: file, to }) {
      if (!filesOn(dir).has(file)) return
      mkdirSync(dirname(join(dir, to)), { recursive: true })
      renameSync(join(dir, file), join(dir, to))
    },
    stage: () => git('add', '-A'),
    commit: () => git('commit', '--quiet', '--allow-empty', '-am', 'more'),
    reset: () => git('reset', '--quiet', '--hard'),
    unstage: () => git('reset', '--quiet'),
  }
  return one => {
    ;(carryOut[one.kind] as (given: Edit) => unknown)(one)
  }
}
