import { join } from 'node:path'
import type { Test } from 'tap'
import type { Layer } from '../../src/sandbox/run.ts'
import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import type { SandboxOptions } from '../../src/sandbox/sandbox-options.ts'
import { testSandbox } from './sandbox.ts'

export const GIB = 2 ** 30
/** A key as layers have them, made of one character. */
export const keyOf = (character: string): string => character.repeat(64)

/** A script that installs: something in the project, something in a folder of it, something in HOME. */
export const INSTALL = [
  'set -e; mkdir -p node_modules/a packages/p/node_modules "$HOME/.cache/tool"',
  'echo one > node_modules/a/index.js; echo two > packages/p/node_modules/two; echo three > "$HOME/.cache/tool/three"',
  'mkfifo node_modules/pipe; echo x > node_modules/set; chmod 6755 node_modules/set',
  'echo changed > package.json; touch generated; ln -sfn /etc packages/q',
  'mkdir -p "$HOME/.local/bin"; for name in rm find xargs chmod; do ln -sf /usr/bin/true "$HOME/.local/bin/$name"; done',
].join('; ')

/** Installs in folders of their own, and keeps what that left. */
export async function installLayer(
  { sandbox, workspacesDir }: { sandbox: Sandbox; workspacesDir: string },
  { key = keyOf('a'), script = INSTALL, limitBytes = GIB }: { key?: string; script?: string; limitBytes?: number } = {},
): Promise<Layer> {
  const folder = join(workspacesDir, 'job', `install-${key.slice(0, 8)}`)
  const { signal } = new AbortController()
  const given = ['package.json', 'packages/p/package.json']
  await sandbox.fill(join(folder, 'workspace'), new Map(given.map(path => [path, '{}'])))
  const ended = await sandbox.run({
    argv: ['/bin/bash', '-c', script],
    workspace: join(folder, 'workspace'),
    home: join(folder, 'home'),
    limits: { timeoutMs: 60_000 },
    signal,
  })
  if (ended.exitCode !== 0) throw new Error(`the install failed: ${ended.stderr}`)
  await sandbox.keepLayer(key, { folder, given, limitBytes, signal })
  return { key }
}

/** A sandbox with a layer that was installed in it. */
export async function layeredSandbox(t: Test, options: Partial<SandboxOptions> = {}) {
  const test = await testSandbox(t, options)
  t.teardown(() => test.sandbox.remove(join(test.workspacesDir, '.layers')))
  return { ...test, layer: await installLayer(test) }
}
