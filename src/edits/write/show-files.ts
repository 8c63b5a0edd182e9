/** The length of the longest run of backticks, from three on; 0 without any. */
function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length)
  return longest
}

/**
 * Shows files in the form in which a model is asked to write them: the name, then the content in a fence that is longer
 * than any in it.
 */
export function showFiles(files: Iterable<readonly [path: string, content: string]>): string {
  return Array.from(files, ([path, content]) => {
    const fence = '`'.repeat(Math.max(3, longestRun(content) + 1))
    const isEnded = content === '' || content.endsWith('\n')
    return `${path}\n${fence}\n${content}${isEnded ? '' : '\n'}${fence}`
  }).join('\n\n')
}
