/** A word of a command: what a program gets, and how it is written. */
export interface ShellWord {
  text: string
  raw: string
}

/** What may stand in a word without quotes. */
const PLAIN = /[^\s'"\\|&;<>()`#!]/
/** In double quotes these mean more than themselves. */
const EXPANDED = /[`\\]|\$[({]/

/** A text as one word of a POSIX shell, whatever it holds but NUL. */
export const quoteWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** The word that begins at a place; null where it holds anything that only a shell can tell. */
function wordAt(command: string, start: number): (ShellWord & { end: number }) | null {
  let text = ''
  let at = start
  while (at < command.length) {
    const character = command.charAt(at)
    if (character === "'" || character === '"') {
      const end = command.indexOf(character, at + 1)
      const quoted = command.slice(at + 1, end)
      if (end < 0 || (character === '"' && EXPANDED.test(quoted))) return null
      text += quoted
      at = end + 1
    } else if (PLAIN.test(character) && !command.startsWith('$(', at)) {
      text += character
      at++
    } else break
  }
  return at === start ? null : { text, raw: command.slice(start, at), end: at }
}

const SEPARATOR = /^(?:&&|;|\n)/

/**
 * The simple commands of a shell command, in their order; between them stand `&&`, `;` or a line break.
 *
 * @returns Null for a command with anything else in it: pipes, redirections, substitutions, comments.
 */
export function simpleCommands(command: string): Array<{ words: ShellWord[]; start: number }> | null {
  const commands: Array<{ words: ShellWord[]; start: number }> = []
  let words: ShellWord[] = []
  let start = 0
  for (let at = 0; at < command.length;) {
    const rest = command.slice(at, at + 2)
    const [separator] = SEPARATOR.exec(rest) ?? []
    if (separator !== undefined) {
      if (words.length > 0) commands.push({ words, start })
      words = []
      at += separator.length
    } else if (/\s/.test(rest.charAt(0))) at++
    else {
      const word = wordAt(command, at)
      if (word === null) return null
      if (words.length === 0) start = at
      words.push({ text: word.text, raw: word.raw })
      at = word.end
    }
  }
  if (words.length > 0) commands.push({ words, start })
  return commands
}
