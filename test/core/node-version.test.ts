import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { isNewEnough, isProgram, NEEDED_NODE } from '../../src/core/node-version.ts'

test('a version is new enough from the second part on', async t => {
  for (const version of ['24.15.0', '24.21.1', '25.0.0', '100.0.0']) t.equal(isNewEnough(version), true, version)
  for (const version of ['24.1.0', '24.0.9', '22.20.0', '20.19.5', '8.99.0']) {
    t.equal(isNewEnough(version), false, version)
  }
})

test('a Node that does not say which module it was started with is refused', async t => {
  t.equal(isProgram({ main: true }), true)
  t.equal(isProgram({ main: false }), false)
  t.throws(() => isProgram({}), { message: /This is Node v\d.*Install Node 24\.15 or newer/ })
})

test('package.json, the start script and the README ask for the same version', async t => {
  const root = join(import.meta.dirname, '../..')
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { engines: { node: string } }
  t.equal(engines.node, `>=${NEEDED_NODE}`)
  const [, major, minor] = /NEEDED = \[(\d+), (\d+)\]/.exec(readFileSync(join(root, 'bin/faultline.js'), 'utf8')) ?? []
  t.equal(`${major}.${minor}`, NEEDED_NODE)
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  t.same(
    [...readme.matchAll(/\bNode (\d[\d.]*\d)/g)].map(([, version]) => version),
    [NEEDED_NODE],
  )
})
