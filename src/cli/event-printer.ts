import type { JobEventAnswer } from '../contract/job.ts'
import { createPrintableStream, printable, printableLine } from '../text/terminal-text.ts'
import type { Output } from './output.ts'

type Progress = ReturnType<Output['progress']>

/** The output of a program or a sentence about the job; empty for other events. */
export function logText({ event, data: { text, stream } }: JobEventAnswer, output: Pick<Output, 'paintNote'>): string {
  if (event !== 'log' || typeof text !== 'string') return ''
  return stream === undefined ? `${output.paintNote('dim', printableLine(text))}\n` : printable(text)
}

/** Shows the events of a job as they come: steps, log lines, and what the model writes while it writes. */
export function createEventPrinter(progress: Progress, output: Pick<Output, 'paintNote'>) {
  let step: unknown = null
  let isMidLine = false
  let toPrintable = createPrintableStream()

  function print(text: string): void {
    if (text === '') return
    progress.print(text)
    isMidLine = !text.endsWith('\n')
  }

  /** Words of the model end in the middle of a line. */
  function endLine(): void {
    if (isMidLine) print('\n')
    toPrintable = createPrintableStream()
  }

  function showStep(data: JobEventAnswer['data']): void {
    const line = printableLine(`${String(data.step)}: ${String(data.message)}`)
    if (data.step === step) return progress.show(line)
    step = data.step
    endLine()
    print(`${output.paintNote('bold', line)}\n`)
  }

  return function show(event: JobEventAnswer): void {
    if (event.event === 'token') return print(toPrintable(String(event.data.text)))
    if (event.event === 'step') return showStep(event.data)
    const text = logText(event, output)
    if (text === '') return
    if (event.data.stream === undefined) endLine()
    print(text)
  }
}
