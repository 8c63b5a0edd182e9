#!/usr/bin/env node
// Runs the sources in a checkout and dist/ in the package, on Node 24 or newer: a checkout brings its own (the `node` package).
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const NEEDED_MAJOR = 24
const path = relative => fileURLToPath(new URL(relative, import.meta.url))
const entry = existsSync(path('../src/cli.ts')) ? path('../src/cli.ts') : path('../dist/cli.js')
const ownNode = path('../node_modules/node/bin/node')

if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) {
  const { main } = await import(entry)
  await main(process.argv.slice(2))
} else if (existsSync(ownNode)) {
  const { status, signal } = spawnSync(ownNode, [entry, ...process.argv.slice(2)], { stdio: 'inherit' })
  if (signal !== null) process.kill(process.pid, signal)
  process.exitCode = status ?? 1
} else {
  console.error(`faultline needs Node ${NEEDED_MAJOR} or newer; this is ${process.version}.`)
  process.exitCode = 1
}
