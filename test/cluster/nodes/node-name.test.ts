import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { nodeNameIn } from '../../../src/cluster/nodes/node-name.ts'

test('a name is made up once, of the host and a few characters', async t => {
  const dir = t.testdir()
  const name = nodeNameIn(dir, 'web.example')
  t.match(name, /^web\.example-[0-9a-f]{4}$/)
  t.equal(nodeNameIn(dir, 'another-host'), name, 'also when the container has another host name')
  t.equal(readFileSync(join(dir, 'node-name'), 'utf8'), `${name}\n`)
})

test('whatever a host is called, the name can stand in a header and in a label', async t => {
  for (const host of ['', '-_.', 'ü b/c"\n', 'x'.repeat(300)]) {
    t.match(nodeNameIn(t.testdir(), host), /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/)
  }
})

test('a file with something else in it is replaced, and a folder that cannot be written to is no hindrance', async t => {
  const dir = t.testdir()
  writeFileSync(join(dir, 'node-name'), 'two\nlines')
  const name = nodeNameIn(dir, 'web')
  t.equal(nodeNameIn(dir, 'web'), name)
  t.match(nodeNameIn(join(dir, 'missing'), 'web'), /^web-/)
})
