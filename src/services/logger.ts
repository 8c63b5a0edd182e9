import type { Logger, LoggerOptions } from 'pino'
import type { Config } from '../config.ts'
import { redactTexts } from '../llm/redaction/redact-values.ts'

/** Where a log is written. */
type Output = { write(text: string): unknown; isTTY?: boolean }

/**
 * Keys and tokens never reach the log: neither under their names nor within what an error says. Requests are logged
 * without query and body, which may hold code.
 */
const REDACTED = [
  'req.headers.authorization',
  'req.headers.cookie',
  'req.headers["x-api-key"]',
  '*.token',
  '*.password',
  '*.apiKey',
  '*.authorization',
]

/** Lines for people; each is written before the call returns, so that none is lost when the process ends. */
async function prettyOutput(output: Output): Promise<Output> {
  const { prettyFactory } = await import('pino-pretty')
  const pretty = prettyFactory({
    colorize: true,
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss',
    ignore: 'pid,hostname',
  })
  return { write: line => output.write(pretty(line)) }
}

/** The log of a server: lines for people on a terminal, one JSON object a line elsewhere. */
export async function createLogger(
  { logLevel }: Pick<Config, 'logLevel'>,
  output: Output = process.stdout,
): Promise<Logger> {
  const { pino } = await import('pino')
  const options: LoggerOptions = {
    level: logLevel,
    redact: REDACTED,
    serializers: {
      req: (request: { method: string; url: string; ip?: string }) => ({
        method: request.method,
        path: request.url.split('?', 1)[0],
        ip: request.ip,
      }),
      err: (error: Error) => redactTexts<unknown>(pino.stdSerializers.err(error)),
      detail: redactTexts<unknown>,
      fix: redactTexts<unknown>,
    },
  }
  if (output.isTTY === true) return pino(options, await prettyOutput(output))
  // its own way to the standard output waits for no event loop
  return output === process.stdout ? pino(options) : pino(options, output)
}
