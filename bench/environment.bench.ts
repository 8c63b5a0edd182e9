// What it costs to begin a program on a layer: 30,000 files of node_modules are made into one once, then programs start
// with it and without it in pairs, and once with the copy that stands in for it. node bench/environment.bench.ts
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createSandbox } from '../src/sandbox/sandbox.ts'
import type { SandboxOptions } from '../src/sandbox/sandbox-options.ts'
import { megabytes, quantiles, showQuantiles, timed } from './measure.ts'

const FILES = 30_000
const PAIRS = 30
const COPIES = 3
const BAR_MS = 200
const KEY = 'a'.repeat(64)
/** As many files in a folder as packages have. */
const FILES_A_PACKAGE = 20
const INSTALL = `
for i in $(seq ${FILES / FILES_A_PACKAGE}); do
  mkdir -p node_modules/package-$i/lib
  for j in $(seq ${FILES_A_PACKAGE}); do echo "module.exports = $i * $j // ${'x'.repeat(1500)}"; done |
    split -l 1 -a 2 - node_modules/package-$i/lib/file-
done; mkdir -p "$HOME/.npm"; find node_modules -type f | wc -l`

const root = mkdtempSync('/var/tmp/faultline-bench-')
chmodSync(root, 0o711)
const workspacesDir = join(root, 'workspaces')
const options: SandboxOptions = {
  mode: 'auto',
  workspacesDir,
  loopbackOnly: true,
  memoryMb: 1024,
  timeoutMs: 300_000,
  registries: [],
  registryEnv: {},
  allowPrivateHosts: false,
  home: '/nonexistent',
}
const sandbox = createSandbox(options)
const { signal } = new AbortController()

/** Milliseconds of a program that finds a file of the layer, or does nothing, in a workspace of its own. */
async function start(name: string, layer?: { key: string }): Promise<number> {
  const workspace = join(workspacesDir, 'job', name)
  const argv = layer === undefined ? ['/usr/bin/true'] : ['/usr/bin/test', '-e', 'node_modules/package-1/lib/file-aa']
  const { value, ms } = await timed(() => sandbox.run({ argv, workspace, layer, signal }))
  if (value.exitCode !== 0) throw new Error(value.stderr)
  await sandbox.remove(workspace)
  return ms
}

try {
  const folder = join(workspacesDir, 'job', 'install')
  const [workspace, home] = [join(folder, 'workspace'), join(folder, 'home')]
  const installed = await timed(() =>
    sandbox.run({ argv: ['/bin/bash', '-c', INSTALL], workspace, home, limits: { diskMb: 4096 }, signal }),
  )
  if (installed.value.exitCode !== 0) throw new Error(installed.value.stderr)
  const kept = await timed(() => sandbox.keepLayer(KEY, { folder, given: [], limitBytes: 2 ** 40, signal }))
  const { entries, bytes } = kept.value
  console.log(`install of ${installed.value.stdout.trim()} files: ${Math.round(installed.ms)} ms`)
  console.log(`kept as a layer (${entries} entries, ${megabytes(bytes)} MB): ${Math.round(kept.ms)} ms, once`)
  const opened = await timed(() => sandbox.openLayer(KEY))
  console.log(`opened again: ${opened.ms.toFixed(1)} ms`)

  await start('first')
  await start('first', { key: KEY })
  const without: number[] = []
  const withLayer: number[] = []
  for (let pair = 0; pair < PAIRS; pair++) {
    without.push(await start('without'))
    withLayer.push(await start('with', { key: KEY }))
  }
  const copied: number[] = []
  // with a comma in the name no overlay can be mounted
  for (let copy = 0; copy < COPIES; copy++) copied.push(await start(`copy,${copy}`, { key: KEY }))
  console.log(`a run without a layer   ${showQuantiles(quantiles(without))}`)
  console.log(`the same with the layer ${showQuantiles(quantiles(withLayer))}`)
  console.log(`with a copy of it       ${showQuantiles(quantiles(copied))}`)
  const more = quantiles(withLayer).p50 - quantiles(without).p50
  console.log(`bar: at most ${BAR_MS} ms more: ${more.toFixed(1)} ms`)
  if (more > BAR_MS) process.exitCode = 1
} finally {
  await sandbox.close()
  await sandbox.remove(join(workspacesDir, '.layers'))
  rmSync(root, { recursive: true, force: true })
}
