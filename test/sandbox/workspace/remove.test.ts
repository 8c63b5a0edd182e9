import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'tap'
import { removeFolder, sweepWorkspaces } from '../../../src/sandbox/workspace/remove.ts'
import { prepareWorkspace } from '../../../src/sandbox/workspace/workspace.ts'
import { bash, isRoot, setup } from './in-workspace.ts'

test('a folder of 4,000 levels, closed ones and names of any bytes are deleted, and nothing beyond a link', async t => {
  const { workspacesDir, dir, owner } = setup(t)
  const outside = join(workspacesDir, 'outside')
  await prepareWorkspace(owner, dir)
  await prepareWorkspace(owner, outside)
  writeFileSync(join(outside, 'kept'), 'x')
  bash(
    dir,
    `ln -s ${outside} link; mkdir closed; touch closed/in; mkfifo pipe; touch "$(printf 'bad\\xff')" -- -rf; perl -e 'for (1..4000) { mkdir "d"; chdir "d" }'; chmod 000 closed; chmod 000 .`,
  )
  if (!isRoot) await t.rejects(rm(dir, { recursive: true }))
  await removeFolder(workspacesDir, join(workspacesDir, 'job'))
  t.notOk(existsSync(join(workspacesDir, 'job')))
  t.same(readdirSync(join(workspacesDir, '.trash')), [])
  t.equal(readFileSync(join(outside, 'kept'), 'utf8'), 'x')
  await removeFolder(workspacesDir, join(workspacesDir, 'job'))
  t.pass('a folder that is not there is no error')
})

test('the start deletes what a previous process left, and folders that belong to nobody', async t => {
  const { workspacesDir } = setup(t)
  await sweepWorkspaces(workspacesDir)
  for (const name of ['.trash/x', '.run/y', '.node', 'job1', 'job2']) {
    mkdirSync(join(workspacesDir, name), { recursive: true })
  }
  await sweepWorkspaces(workspacesDir)
  t.same(readdirSync(workspacesDir).sort(), ['.node', 'job1', 'job2'])
  await sweepWorkspaces(workspacesDir, new Set(['job2']))
  t.same(readdirSync(workspacesDir).sort(), ['.node', 'job2'])
})
