import { test } from 'tap'
import { codeOwners, codeOwnersPlaces, ownerGlobs } from '../../src/forges/code-owners.ts'
import { createGlobTest } from '../../src/indexer/path-globs.ts'

const ownersOf = (text: string, path: string, kind: 'github' | 'gitlab' = 'github') =>
  codeOwners(text, { kind, paths: [path], globTest: createGlobTest })

// The rules of GitHub's own example.
const EXAMPLE = `
# comment
*       @global-owner1 @global-owner2
*.js    @js-owner #This is an inline comment.
*.go docs@example.com
*.txt @octo-org/octocats
/build/logs/ @doctocat
docs/* docs@example.com
apps/ @octocat
/docs/ @doctocat
/scripts/ @doctocat @octocat
**/logs @octocat
/apps/ @octocat
/apps/github
`

test("owners are those of the last rule that fits, in GitHub's syntax", async t => {
  for (const [path, owners] of [
    ['main.py', ['@global-owner1', '@global-owner2']],
    ['a/b/main.js', ['@js-owner']],
    ['main.go', ['docs@example.com']],
    ['notes/a.txt', ['@octo-org/octocats']],
    ['build/logs/deep/x.py', ['@octocat'], '**/logs comes later'],
    ['docs/a/b.py', ['@doctocat']],
    ['x/apps/a.py', ['@octocat']],
    ['scripts/a.py', ['@doctocat', '@octocat']],
    ['apps/github', [], 'nobody'],
  ] as const) {
    t.same(ownersOf(EXAMPLE, path), owners, path)
  }
  t.same(ownersOf('docs/* @a', 'docs/x.md'), ['@a'])
  t.same(ownersOf('docs/* @a', 'docs/deep/x.md'), [], 'one folder only')
  t.same(ownersOf('/a\\ b.py @a', 'a b.py'), ['@a'])
  t.same(ownersOf('*.py @a <script> not-an-owner', 'x.py'), ['@a'])
})

test("GitLab's sections each name owners, some by default, and leave files out", async t => {
  const text = `* @top
[Database][2] @dba
migrations/
model/ @modeller
!migrations/generated.sql
^[Docs]
*.md @writer
`
  t.same(ownersOf(text, 'migrations/1.sql', 'gitlab'), ['@top', '@dba'])
  t.same(ownersOf(text, 'model/a.md', 'gitlab'), ['@top', '@modeller', '@writer'])
  t.same(ownersOf(text, 'migrations/generated.sql', 'gitlab'), ['@top'])
})

test('whatever stands in the file, it is read in time', async t => {
  const bad = ['[', '{a,b} @x', '*'.repeat(300), '!', '@a', '\\', `${'a/'.repeat(2_000)} @x`, `${'**/'.repeat(80)}x @x`]
  t.same(ownersOf(`${bad.join('\n')}\n*.py @a`, 'x.py'), ['@a'])
  t.same(codeOwnersPlaces('gitea'), [], 'it asks its owners itself, with patterns of its own')
  t.same(ownerGlobs('/'), ['**'])
})
