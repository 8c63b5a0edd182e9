import { spawn } from 'node:child_process'
import type { OutputStream } from './output.ts'

/** Quits at once where the text fits on the screen, and passes colours on. */
const USUAL_PAGER = 'less -RFX'

interface PagerOptions {
  /** As in the variable PAGER: a program and its arguments, without quotes. */
  pager?: string
  stdout: OutputStream
}

/** Whether a program could be started and given the text; a reader who leaves before its end has seen enough. */
function pipedThrough(program: string, args: readonly string[], text: string): Promise<boolean> {
  return new Promise(resolve => {
    const child = spawn(program, args, { stdio: ['pipe', 'inherit', 'inherit'] })
    child.once('error', () => resolve(false))
    child.once('close', () => resolve(true))
    child.stdin.on('error', () => {}) // left before the end
    child.stdin.end(text)
  })
}

/**
 * Shows a text in the user's pager, and resolves when he has left it. Where there is no such program, or the pager is
 * `cat`, the text is written as it is.
 */
export async function showPaged(text: string, { pager = USUAL_PAGER, stdout }: PagerOptions): Promise<void> {
  const [program = '', ...args] = pager.trim().split(/\s+/)
  const isShown = program !== '' && program !== 'cat' && (await pipedThrough(program, args, text))
  if (!isShown) stdout.write(text)
}
