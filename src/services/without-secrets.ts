import { setImmediate as turn } from 'node:timers/promises'
import { createRedactedStream } from '../llm/redaction/redact-stream.ts'
import { redactTexts } from '../llm/redaction/redact-values.ts'
import { redact } from '../llm/redaction/redact.ts'
import type { Callbacks } from '../outbound/callbacks.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'

const PIECE_CHARS = 65_536 // some ten milliseconds

/** A text without secrets. Of a long one, pieces are looked at in turns with whatever else this thread has to do. */
export async function withoutSecrets(text: string): Promise<string> {
  if (text.length <= PIECE_CHARS) return redact(text).text
  const parts: string[] = []
  const stream = createRedactedStream(part => parts.push(part))
  for (let at = 0; at < text.length; at += PIECE_CHARS) {
    stream.add(text.slice(at, at + PIECE_CHARS))
    await turn()
  }
  stream.end()
  return parts.join('')
}

async function cleaned<Result extends { stdout: string; stderr: string }>(result: Result): Promise<Result> {
  return { ...result, stdout: await withoutSecrets(result.stdout), stderr: await withoutSecrets(result.stderr) }
}

/** The same sandbox; what programs print comes without secrets, both while they run and afterwards. */
export const withCleanOutput = (sandbox: Sandbox): Sandbox => ({
  probe: () => sandbox.probe(),
  collect: (dir, options) => sandbox.collect(dir, options),
  fill: (dir, files) => sandbox.fill(dir, files),
  remove: (dir, options) => sandbox.remove(dir, options),
  openLayer: key => sandbox.openLayer(key),
  keepLayer: (key, made) => sandbox.keepLayer(key, made),
  sweep: keep => sandbox.sweep(keep),
  close: () => sandbox.close(),
  async run({ onOutput, ...request }) {
    if (onOutput === undefined) return cleaned(await sandbox.run(request))
    const streams = {
      stdout: createRedactedStream(text => onOutput('stdout', text)),
      stderr: createRedactedStream(text => onOutput('stderr', text)),
    }
    const result = await sandbox.run({ ...request, onOutput: (stream, text) => streams[stream].add(text) })
    streams.stdout.end()
    streams.stderr.end()
    return cleaned(result)
  },
})

/** Posts messages without secrets. */
export const cleanDelivery =
  (deliver: Callbacks['deliver']): Callbacks['deliver'] =>
  callback =>
    deliver({ ...callback, body: JSON.stringify(redactTexts<unknown>(JSON.parse(callback.body))) })
