import type { Launched } from './jail/launched.ts'
import { isListening } from './network/listening.ts'
import type { ReadyWhen } from './run.ts'

const PORT_EVERY_MS = 50

/** A watch for the readiness of one program. */
export interface ReadyWatch {
  /** Takes what the program printed. */
  saw(stream: 'stdout' | 'stderr', chunk: Buffer): void
  stop(): void
}

/** Finds a text in pieces, even across their borders. */
function textSearch(text: string): (chunk: Buffer) => boolean {
  const wanted = Buffer.from(text)
  let before: Buffer = Buffer.alloc(0)
  return chunk => {
    const both = Buffer.concat([before, chunk])
    if (both.includes(wanted)) return true
    before = Buffer.from(both.subarray(Math.max(0, both.length - wanted.length + 1)))
    return false
  }
}

/** Waits until a program is ready and reports it once. Linear in what the program prints. */
export function watchReady(program: Launched, { port, output }: ReadyWhen, onReady: () => void): ReadyWatch {
  let hasPort = port === undefined
  let hasOutput = output === undefined
  const seen = output === undefined ? null : { stdout: textSearch(output), stderr: textSearch(output) }
  let timer: NodeJS.Timeout | undefined
  const decide = () => {
    if (!hasPort || !hasOutput) return
    clearInterval(timer)
    onReady()
  }
  const lookAtPort = (wanted: number) => {
    const root = program.treeRoot()
    if (root === null || !isListening(root, wanted, program.hasOwnNetwork)) return
    hasPort = true
    decide()
  }
  if (port !== undefined) timer = setInterval(lookAtPort, PORT_EVERY_MS, port)
  return {
    saw(stream, chunk) {
      if (hasOutput || seen?.[stream](chunk) !== true) return
      hasOutput = true
      decide()
    },
    stop: () => clearInterval(timer),
  }
}
