/**
 * Collects pieces that come one by one, so that not each of them is a write: they are given on together after a moment,
 * or at `flush`.
 */
export function createTextBuffer(
  write: (text: string) => void,
  { holdMs, maxChars }: { holdMs: number; maxChars: number },
) {
  let held: string[] = []
  let chars = 0
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (held.length === 0) return
    const text = held.join('')
    held = []
    chars = 0
    write(text)
  }

  return {
    add(text: string): void {
      if (text === '') return
      held.push(text)
      chars += text.length
      if (chars >= maxChars) flush()
      else timer ??= setTimeout(flush, holdMs)
    },
    flush,
  }
}
