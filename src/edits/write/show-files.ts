/** The length of the longest run of backticks, from three on; 0 without any. */
function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  return longest
}

/** A text in a Markdown fence that is longer than any in it, so that the text cannot end it. */
export function inFence(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1))
  const isEnded = text === '' || text.endsWith('\n')
  return `${fence}\n${text}${isEnded ? '' : '\n'}${fence}`
}

/**
 * Shows files in the form in which a model is asked to write them: the name, then the content in a fence that is longer
 * than any in it.
 */
export function showFiles(files: Iterable<readonly [path: string, content: string]>): string {
  return Array.from(files, ([path, content]) => `${path}\n${inFence(content)}`).join('\n\n')
}
