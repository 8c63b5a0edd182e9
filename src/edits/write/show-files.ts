/** Backticks in a row. */
function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  return longest
}

/**
 * Files as a model is shown them, and as it is asked to write them: a name, a fence, the content, a fence, one after
 * the other. A fence is longer than any in the content.
 */
export function showFiles(files: Iterable<readonly [path: string, content: string]>): string {
  return Array.from(files, ([path, content]) => {
    const fence = '`'.repeat(Math.max(3, longestRun(content) + 1))
    return `${path}\n${fence}\n${content}${content === '' || content.endsWith('\n') ? '' : '\n'}${fence}`
  }).join('\n\n')
}
