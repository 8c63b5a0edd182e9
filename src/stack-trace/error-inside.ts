const MAX_SEGMENTS = 8

/**
 * An error that stands behind something else in a line of a log: `ERROR Shop - order failed: java.io.IOException: no`;
 * null when there is none.
 *
 * @param isType - Whether a word with a dot is the name of an error in the runtime that wrote the log.
 */
export function errorInside(line: string, isType: (name: string) => boolean): { type: string; message: string } | null {
  const said = line.replace(/:\s*$/, '') // of an error without a message
  let start = 0
  for (let segment = 0; segment < MAX_SEGMENTS && start <= said.length; segment++) {
    const colon = said.indexOf(': ', start)
    const name = (colon === -1 ? said.slice(start) : said.slice(start, colon)).trimEnd()
    const type = name.slice(name.lastIndexOf(' ') + 1)
    if (type.includes('.') && isType(type)) return { type, message: colon === -1 ? '' : said.slice(colon + 2) }
    if (colon === -1) return null
    start = colon + 2
  }
  return null
}
