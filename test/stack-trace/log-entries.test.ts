import { test } from 'tap'
import { parseStackTrace } from '../../src/stack-trace/parse.ts'

const entry = (second: number, text: string): string => `2026-11-21 22:20:0${second} ${text}`

/** Errors whose message may go on in further lines, as logs have them: the next entry follows at once. */
const LOGS: Record<string, string[]> = {
  go: [entry(1, 'panic: it broke'), entry(2, 'served in 3 ms'), '', 'goroutine 1 [running]:'],
  elixir: [entry(1, '** (RuntimeError) it broke'), entry(2, 'served in 3 ms')],
  python: [
    entry(1, 'Traceback (most recent call last):'),
    '  File "a.py", line 3, in f',
    '    g()',
    'ValueError: it broke',
    entry(2, 'served in 3 ms'),
  ],
  rust: [entry(1, "thread 'main' panicked at src/main.rs:3:5:"), 'it broke', entry(2, 'served in 3 ms')],
}

test('a message ends where the next entry of the log begins, and goes on where none does', async t => {
  for (const [runtime, lines] of Object.entries(LOGS)) {
    t.equal(parseStackTrace(lines.join('\n')).exceptions[0]?.message, 'it broke', runtime)
    const goesOn = lines.map(line => line.replace(/^2026\S+ \S+ (served.*)/, '$1'))
    t.match(parseStackTrace(goesOn.join('\n')).exceptions[0]?.message, /^it broke\nserved in 3 ms/, runtime)
  }
})
