// What it costs to run a program in the jail, against a plain spawn; and whether a server goes on answering while
// programs in it misbehave.
// usage: node bench/sandbox.bench.ts [process|main] [MB that the server holds = 0] [other busy programs = 0]
// The second part: the app over real services on loopback, while jails run (started from a process of their own, as the
// server does, or for comparison from HTTP's thread); a thread of its own asks /health every 5 ms.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { createApp } from '../src/http/app.ts'
import { loadConfig } from '../src/config.ts'
import { createSandbox } from '../src/sandbox/sandbox.ts'
import type { SandboxOptions } from '../src/sandbox/sandbox-options.ts'
import { startSandbox } from '../src/services/sandbox.ts'
import { createServices } from '../src/services/services.ts'
import { quantiles, showQuantiles, timed } from './measure.ts'

const ROUNDS = 40
const EVERY_MS = 5
const START_BAR_MS = 100
const HEALTH_BAR_MS = 100
const HOSTILE_MS = 4_000
const LIMITS = { timeoutMs: 4_000, memoryMb: 300, diskMb: 100 }

/** What programs do that should not. */
const HOSTILE: Array<[what: string, script: string]> = [
  ['sleep (nothing hostile)', 'sleep 3'],
  ['fork without end', 'f () { f | f & }; while :; do f; sleep 0.2; done'],
  ['fill the memory', 'node -e "const kept = []; for (;;) kept.push(Buffer.alloc(1e6, 1))"'],
  ['fill the disk', 'for i in $(seq 1000); do head -c 100M /dev/zero > "f$i"; done'],
  ['make small files', 'for i in $(seq 1000000); do echo x > "f$i"; done'],
  ['flood the output', 'yes "a line of output that goes on and on"'],
  ['flood it slowly', 'for i in $(seq 100000); do echo "line $i"; done; sleep 2'],
  ['compute on all processors', 'for i in 1 2 3 4; do (while :; do :; done) & done; wait'],
]

async function askForHealth(url: string): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 50 })
  const found: number[] = []
  const over = new AbortController()
  parentPort?.once('message', () => over.abort())
  const asked: Array<Promise<void>> = []
  for (let due = performance.now(); !over.signal.aborted; due += EVERY_MS) {
    await wait(Math.max(0, due - performance.now()))
    const sentAt = due
    asked.push(
      new Promise((resolve, reject) => {
        request(`${url}/health`, { agent }, response => {
          response.resume().on('end', () => {
            found.push(performance.now() - sentAt)
            resolve()
          })
        })
          .on('error', reject)
          .end()
      }),
    )
  }
  await Promise.all(asked)
  agent.destroy()
  return found
}

async function bench(): Promise<void> {
  const root = mkdtempSync('/var/tmp/faultline-bench-')
  chmodSync(root, 0o711)
  const workspacesDir = join(root, 'workspaces')
  const [where = 'process', heldMb = '0', busy = '0'] = process.argv.slice(2)
  const held = Array.from({ length: Number(heldMb) }, (_, index) => Buffer.alloc(1_000_000, index))
  const others = Array.from({ length: Number(busy) }, () =>
    spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
  )
  const options: SandboxOptions = {
    mode: 'auto',
    workspacesDir,
    loopbackOnly: true,
    memoryMb: 1024,
    timeoutMs: 60_000,
    registries: [],
    registryEnv: {},
    allowPrivateHosts: false,
    home: '/nonexistent',
  }
  const sandbox = where === 'main' ? createSandbox(options) : startSandbox({ ...options, onCrash: console.error })
  const services = await createServices(loadConfig({ root, env: { LOG_LEVEL: 'silent' } }), {
    info() {},
    warn: console.error,
    error: console.error,
  })
  const app = await createApp({
    services,
    auth: { apiKeys: [], host: '127.0.0.1', allowedHosts: [] },
    version: '0.0.0',
  })
  try {
    const state = await sandbox.probe()
    if (!state.available) throw new Error(`${state.reason ?? ''} ${state.fix ?? ''}`)
    const signal = new AbortController().signal
    const plain: number[] = []
    const jailed: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      plain.push((await timed(() => once(spawn('/usr/bin/true', { stdio: 'ignore' }), 'exit'))).ms)
      jailed.push(
        (await timed(() => sandbox.run({ argv: ['/usr/bin/true'], workspace: join(workspacesDir, 'start/w'), signal })))
          .ms,
      )
    }
    const starter = where === 'main' ? "HTTP's thread" : 'a process of their own'
    console.log(`jails from ${starter}, the server holds ${held.length} MB, ${others.length} other programs are busy`)
    console.log(`plain spawn of "true"        ${showQuantiles(quantiles(plain))}`)
    console.log(`the same in the jail         ${showQuantiles(quantiles(jailed))}`)
    const added = quantiles(jailed).p50 - quantiles(plain).p50
    console.log(`bar: start below ${START_BAR_MS} ms: adds ${added.toFixed(1)} ms\n`)

    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    let slowest = 0
    for (const [what, script] of HOSTILE) {
      const thread = new Worker(new URL(import.meta.url), { workerData: url })
      await once(thread, 'online')
      const endsAt = performance.now() + HOSTILE_MS
      const before = process.threadCpuUsage()
      let runs = 0
      const reasons = new Set<string>()
      await Promise.all(
        [1, 2].map(async place => {
          while (performance.now() < endsAt) {
            const workspace = join(workspacesDir, 'hostile', `w${place}`)
            const { killedBy } = await sandbox.run({
              argv: ['/bin/bash', '-c', script],
              workspace,
              limits: LIMITS,
              signal,
            })
            reasons.add(killedBy ?? 'themselves')
            runs++
            await sandbox.remove(workspace)
          }
        }),
      )
      const found = once(thread, 'message')
      thread.postMessage('over')
      const { user, system } = process.threadCpuUsage(before)
      const times = quantiles((await found)[0] as number[])
      slowest = Math.max(slowest, times.p99)
      console.log(
        `/health while two ${what.padEnd(26)} ${showQuantiles(times)}; ended by ${[...reasons].join(', ')}; ` +
          `HTTP's thread was busy for ${((user + system) / 1000).toFixed(0)} ms in ${runs} runs`,
      )
    }
    console.log(`bar: /health within ${HEALTH_BAR_MS} ms: p99 at most ${slowest.toFixed(1)} ms\n`)
  } finally {
    for (const other of others) other.kill('SIGKILL')
    await app.close()
    await services.close()
    await sandbox.close()
    rmSync(root, { recursive: true, force: true })
  }
}

if (isMainThread) await bench()
else parentPort?.postMessage(await askForHealth(String(workerData)))
