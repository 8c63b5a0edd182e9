import { interrupted } from './cli-error.ts'
import { EXIT } from './exit-codes.ts'

/** A wrapper and the terminal may both deliver one Ctrl-C. */
const SAME_SIGNAL_MS = 300

/** The process that hears the signals; a test puts its own in place. */
type Listener = Pick<NodeJS.Process, 'on' | 'off' | 'exit'>

/** The first Ctrl-C asks the command to stop and clean up, a second one ends the process. */
export function listenForInterrupts(
  listener: Listener = process,
  now = (): number => performance.now(),
): { signal: AbortSignal; stop: () => void } {
  const controller = new AbortController()
  let firstAt = 0
  const onSignal = () => {
    if (!controller.signal.aborted) firstAt = now()
    else if (now() - firstAt > SAME_SIGNAL_MS) listener.exit(EXIT.interrupted)
    controller.abort(interrupted())
  }
  listener.on('SIGINT', onSignal)
  listener.on('SIGTERM', onSignal)
  return {
    signal: controller.signal,
    stop: () => {
      listener.off('SIGINT', onSignal).off('SIGTERM', onSignal)
    },
  }
}
