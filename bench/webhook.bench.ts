// Post signed CI logs of 10 kB, 1 MB and 10 MB to a real server in a process of its own, one after the other, each job
// awaited.
// usage: node bench/webhook.bench.ts [REQUESTS]
// Prints how long the 202 takes, and as its ratio to a bare HTTP server in the same run, which only reads the body,
// verifies the
// signature, and writes the bytes to a file with an fsync before it answers.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, fsyncSync, mkdirSync, mkdtempSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isSignedWebhook, signWebhook, type WebhookHeaders } from '../src/core/webhook.ts'
import { createShop } from '../test/helpers/sample-repository.ts'
import { startServerProcess } from '../test/helpers/server-process.ts'
import { quantiles } from './measure.ts'

const SECRET = 'a secret of this bench'
const KEYS = [Buffer.from(SECRET)]
const SIZES = [
  ['10 kB', 10_000],
  ['1 MB', 1_000_000],
  ['10 MB', 10_000_000],
] as const
const BAR_MS = 100

/** A log as CI prints it; the ticks make it a text that does not fit into one byte a character. */
function logOf(bytes: number): string {
  const lines: string[] = []
  for (let at = 0, length = 0; length < bytes; at++) {
    const line =
      `2026-11-21T22:20:${String(at % 60).padStart(2, '0')}.${String(at % 1000).padStart(3, '0')}Z ` +
      `${at % 7 === 0 ? '✓' : '-'} GET "/api/carts/${(at * 7919) % 100_003}" took ${at % 300} ms, ` +
      `id=${((at * 2_654_435_761) >>> 0).toString(16)}\n`
    length += Buffer.byteLength(lines[lines.push(line) - 1] ?? '')
  }
  return lines.join('')
}

function serveBaseline(folder: string): void {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        const body = Buffer.concat(chunks)
        const isSigned = isSignedWebhook(request.headers as unknown as WebhookHeaders, body, KEYS)
        const file = openSync(join(folder, 'body'), 'w')
        writeSync(file, body)
        fsyncSync(file)
        closeSync(file)
        response.writeHead(isSigned ? 202 : 401, { 'content-type': 'application/json' }).end('{}')
      })
  })
  server.keepAliveTimeout = 600_000
  server.listen(0, '127.0.0.1', () =>
    process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`),
  )
}

let deliveries = 0

/** Milliseconds from the first byte sent to the last one of the answer. */
async function post(url: string, body: Buffer): Promise<{ ms: number; id?: string }> {
  const headers = {
    'content-type': 'application/json',
    ...signWebhook({ id: `delivery-${deliveries++}`, body, keys: KEYS, now: new Date() }),
  }
  const startedAt = performance.now()
  const res = await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })
  const answer = (await res.json()) as { id?: string }
  const ms = performance.now() - startedAt
  if (res.status !== 202) throw new Error(`${url}: ${res.status} ${JSON.stringify(answer)}`)
  return { ms, id: answer.id }
}

async function main(requests: number): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'faultline-bench-')))
  mkdirSync(join(root, 'repos'))
  const shop = createShop(join(root, 'repos', 'shop.git'))
  const server = await startServerProcess(root, { WEBHOOK_SECRETS: `ci=${SECRET}` })
  const baseline = spawn(process.execPath, [import.meta.filename, '--baseline', root], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = (await once(baseline.stdout, 'data')) as [Buffer]
    const bare = String(line).trim()
    await fetch(`${server.url}/clone?wait=60`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ url: shop.dir, project_name: 'shop' }),
    })
    for (const [name, bytes] of SIZES) {
      const body = Buffer.from(JSON.stringify({ project_name: 'shop', log: logOf(bytes) }))
      const ours: number[] = []
      const theirs: number[] = []
      for (let i = -2; i < requests; i++) {
        // the first two compile what is measured
        const bareMs = (await post(bare, body)).ms
        const { ms, id } = await post(`${server.url}/webhooks/ci`, body)
        for (let status = ''; status !== 'succeeded';) {
          ;({ status } = (await (await fetch(`${server.url}/jobs/${id}?wait=60`)).json()) as { status: string })
          if (status === 'failed') throw new Error(`the job ${id} failed`)
        }
        if (i >= 0) {
          theirs.push(bareMs)
          ours.push(ms)
        }
      }
      const [answer, base] = [quantiles(ours), quantiles(theirs)]
      console.log(
        `${name.padStart(6)}: 202 after p50 ${answer.p50.toFixed(1)} ms, p99 ${answer.p99.toFixed(1)} ms; bare ` +
          `server p50 ${base.p50.toFixed(1)} ms, p99 ${base.p99.toFixed(1)} ms; ratio of p50 ` +
          `${(answer.p50 / base.p50).toFixed(1)}; bar ${BAR_MS} ms ${answer.p99 <= BAR_MS ? 'kept' : 'missed'} ` +
          `(${requests} requests)`,
      )
    }
  } finally {
    baseline.kill()
    await server.end('SIGTERM')
    rmSync(root, { recursive: true, force: true })
  }
}

const [mode, folder] = process.argv.slice(2)
if (mode === '--baseline' && folder !== undefined) serveBaseline(folder)
else await main(Number(mode ?? 30))
