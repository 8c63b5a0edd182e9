const TAG = /<span class="[^"<>]*">|<\/span>/g

/**
 * Cuts the markup of highlight.js at the ends of lines. An element that goes on over several lines stands in each of
 * them, so that every line is whole by itself.
 */
export function splitLines(markup: string): string[] {
  const open: string[] = []
  return markup.split('\n').map(line => {
    const before = open.join('')
    for (const [tag] of line.matchAll(TAG)) {
      if (tag === '</span>') open.pop()
      else open.push(tag)
    }
    return `${before}${line}${'</span>'.repeat(open.length)}`
  })
}
