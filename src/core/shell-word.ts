/** A text as one word of a POSIX shell, whatever it holds. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The same, without quotes where a shell takes it as it is. */
export const shellArgument = (text: string): string => (/^[\w@%+=:,./-]+$/.test(text) ? text : shellWord(text))
