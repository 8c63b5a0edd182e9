#!/usr/bin/env node
// Runs the sources in a checkout and dist/ in the package, on Node 24.15 or newer: a checkout brings its own (the
// `node` package). What older ones may not understand is imported after the version was looked at.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED = [24, 15]
const here = relative => new URL(relative, import.meta.url)
const entry = existsSync(here('../src/cli.ts')) ? here('../src/cli.ts') : here('../dist/cli.js')
const ownNode = fileURLToPath(here('../node_modules/node/bin/node'))

const [major, minor] = process.versions.node.split('.').map(Number)
if (major > NEEDED[0] || (major === NEEDED[0] && minor >= NEEDED[1])) {
  const { default: envPaths } = await import('env-paths')
  // the user's own cache folder: compiled code in a shared one could be somebody else's
  const { cache: cacheFolder } = envPaths('faultline', { suffix: '' })
  const compiled = process.env.NODE_COMPILE_CACHE ?? join(cacheFolder, 'compile')
  // threads and the processes that this one forks keep theirs there, too
  if (module.enableCompileCache(compiled).directory !== undefined) process.env.NODE_COMPILE_CACHE = compiled
  delete process.env.FAULTLINE_OWN_NODE // nor for the programs that this one starts
  const { main } = await import(entry.href)
  await main(process.argv.slice(2))
} else if (existsSync(ownNode) && process.env.FAULTLINE_OWN_NODE === undefined) {
  runOnOwnNode()
} else {
  const needed = NEEDED.join('.')
  console.error(`faultline: this is Node ${process.version}; install Node ${needed} or newer: https://nodejs.org/`)
  process.exitCode = 3
}

function runOnOwnNode() {
  const child = spawn(ownNode, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, FAULTLINE_OWN_NODE: '1' }, // that one does not start another
  })
  // A terminal delivers Ctrl-C to both of us; from elsewhere (a supervisor, a test) only this process hears of it.
  const hasTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  process.on('SIGINT', () => {
    if (!hasTerminal) child.kill('SIGINT')
  })
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  child.on('error', error => {
    console.error(`faultline: ${ownNode} cannot be started: ${error.message}`)
    process.exitCode = 3
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exitCode = code
    else endLike(signal)
  })
}

/** Ends as the child did, so that the shell sees the same. */
function endLike(signal) {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
}
